/**
 * What a DHCP server's log says of boots, as events of the flight recorder. Pure. Renewals of
 * running systems are no boots: dnsmasq's log says what firmware and loaders call themselves; Kea's does
 * not, but a machine that renews a lease asks for no offer.
 */
import { oneLine, readMac } from '../valid.ts';

export interface LogEvent {
  readonly kind: 'dhcp' | 'tftp';
  readonly mac: string | null;
  /** TFTP is known by address only. */
  readonly address: string | null;
  readonly text: string;
  /** Firmware or a loader asked, as far as the log tells. */
  readonly pxe: boolean;
  /** The transaction that ends with it: once it is written down, what is remembered of that can go. */
  readonly answers: string | null;
}

/** What is known of a transaction before its answer: dnsmasq logs it line by line. */
export interface LogMemory {
  readonly firmware: Map<string, string>;
}

const LARGEST_MEMORY = 5000;

/** A line as dnsmasq begins it. What clients call themselves stands in lines too, and may look like one. */
const LINE = /^\w{3} [ \d]\d \d\d:\d\d:\d\d (dnsmasq-\w+)\[\d+\]: (.*)$/;

export const openLogMemory = (): LogMemory => ({ firmware: new Map() });

const readDnsmasqLine = (line: string, memory: LogMemory): LogEvent | null => {
  const [, program, said = ''] = LINE.exec(line) ?? [];
  if (program !== 'dnsmasq-dhcp') return readTftpLine(line);
  const vendor = /^(\d+) (?:vendor|user) class: (PXEClient|iPXE)/.exec(said);
  if (vendor !== null) {
    if (memory.firmware.size > LARGEST_MEMORY) memory.firmware.clear();
    const [, id = '', what = ''] = vendor;
    if (memory.firmware.get(id) !== 'iPXE') memory.firmware.set(id, what);
    return null;
  }
  const dhcp =
    /^(\d+) (DHCPOFFER|DHCPACK|DHCPNAK|PXE)\(([^)]+)\) ([0-9a-f.:]+|proxy)?\s*([0-9a-f:]{17})/.exec(
      said,
    );
  if (dhcp !== null) {
    const [, id = '', what = '', , address = '', mac] = dhcp;
    const asked = memory.firmware.get(id);
    const told =
      what === 'PXE'
        ? `boot information${address === 'proxy' ? '' : ` for ${address}`}`
        : `${what} ${address}`;
    return {
      kind: 'dhcp',
      mac: readMac(mac),
      address: address === 'proxy' || address === '' ? null : address,
      text: `dnsmasq: ${told}${asked === undefined ? '' : ` to ${asked === 'iPXE' ? 'iPXE' : 'firmware'}`}`,
      pxe: asked !== undefined,
      answers: what === 'DHCPOFFER' ? null : id,
    };
  }
  return null;
};

export const readTftpLine = (line: string): LogEvent | null => {
  const [, program, text = ''] = LINE.exec(line) ?? [];
  const sent = /^(sent|failed sending|file) (\S+)(?: not found)?(?: for| to)? ([0-9a-f.:]+)/.exec(
    text,
  );
  if (sent === null || program !== 'dnsmasq-tftp') return null;
  const [, how = '', path = '', address = ''] = sent;
  const name = oneLine(path.split('/').at(-1) ?? '', 100);
  const said =
    how === 'sent'
      ? `sent ${name}`
      : how === 'file'
        ? `${name} was not found`
        : `${name} was not sent whole`;
  return { kind: 'tftp', mac: null, address, text: `TFTP: ${said}`, pxe: true, answers: null };
};

const readKeaLine = (line: string): LogEvent | null => {
  const lease =
    /(DHCP4_LEASE_ADVERT|DHCP4_LEASE_ALLOC|DHCP4_LEASE_OFFER) \[hwtype=1 ([0-9a-f:]{17})\].*?lease ([0-9.]+)/.exec(
      line,
    );
  if (lease === null) return null;
  const [, what = '', mac, address = ''] = lease;
  const said = what === 'DHCP4_LEASE_ALLOC' ? 'DHCPACK' : 'DHCPOFFER';
  return {
    kind: 'dhcp',
    mac: readMac(mac),
    address,
    text: `Kea: ${said} ${address}`,
    pxe: said === 'DHCPOFFER',
    answers: null,
  };
};

export const readLogLine = (
  kind: 'dnsmasq' | 'kea' | 'tftp',
  line: string,
  memory: LogMemory,
): LogEvent | null =>
  kind === 'kea'
    ? readKeaLine(line)
    : kind === 'tftp'
      ? readTftpLine(line)
      : readDnsmasqLine(line, memory);
