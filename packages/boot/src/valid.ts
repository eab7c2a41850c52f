/**
 * What may enter a script, a configuration file or a file name. Everything that comes from a machine
 * or a person passes here first: what is not known to be harmless is refused, never escaped.
 */
import { isIP } from 'node:net';

const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SERIAL = /^[A-Za-z0-9][A-Za-z0-9 ._/+-]{0,63}$/;
const FILE_PATH = /^[A-Za-z0-9][A-Za-z0-9._+-]*(\/[A-Za-z0-9][A-Za-z0-9._+-]*)*$/;

/** UUIDs that many machines share: vendors' placeholders identify nobody. */
const NOBODY = new Set([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '03000200-0400-0500-0006-000700080009',
  '12345678-1234-5678-90ab-cddeefaabbcc',
]);

export const readMac = (text: string | null | undefined): string | null => {
  const mac = (text ?? '').toLowerCase().replaceAll('-', ':');
  return MAC.test(mac) && mac !== '00:00:00:00:00:00' && mac !== 'ff:ff:ff:ff:ff:ff' ? mac : null;
};

export const readUuid = (text: string | null | undefined): string | null => {
  const uuid = (text ?? '').toLowerCase();
  return UUID.test(uuid) && !NOBODY.has(uuid) ? uuid : null;
};

/** Serials are compared, stored and shown; none of them is put into a script. */
export const readSerial = (text: string | null | undefined): string | null => {
  const serial = (text ?? '').trim();
  return SERIAL.test(serial) &&
    !/^(0+|none|default string|to be filled.*|not specified|system serial number)$/i.test(serial)
    ? serial
    : null;
};

export const isDnsName = (name: string): boolean =>
  name.length <= 253 && name.split('.').every((label) => LABEL.test(label));

export const isAddress = (text: string): boolean => isIP(text) !== 0 && !text.includes('%');

export const isFilePath = (path: string): boolean => path.length <= 255 && FILE_PATH.test(path);

/** A word that shells, iPXE, GRUB and kernel command lines all read as itself. */
export const isPlainWord = (text: string): boolean => /^[A-Za-z0-9._:/@%+=,~-]*$/.test(text);

const SSH_KEY =
  /^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com) [A-Za-z0-9+/]{40,2000}={0,2}( [A-Za-z0-9@._-]{1,100})?$/;

/** A public key as a line of authorized_keys: no options, so it can run nothing by itself. */
export const isSshKey = (text: string): boolean => SSH_KEY.test(text);

/** One line for a log or an event, whatever a machine printed. */
export const oneLine = (text: string, limit: number): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, limit);
