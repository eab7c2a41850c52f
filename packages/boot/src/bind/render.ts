/** named's configuration and the zones it begins with. Everything in them has been checked for shape. */
import { HostwrightError } from '@hostwright/core';
import { isAddress, isDnsName } from '../valid.ts';
import { checkKey } from './driver.ts';
import type { TsigKey } from './tsig.ts';

export interface NamedConfig {
  readonly folder: string;
  readonly listen: readonly string[];
  readonly port: number;
  readonly zones: readonly string[];
  readonly key: TsigKey;
  /** What the zones name as their server. */
  readonly nameServer: string;
}

export const checkNamedConfig = (config: NamedConfig): void => {
  const wrong = [
    ...config.listen.filter((one) => !isAddress(one)),
    ...[...config.zones, config.nameServer].filter((one) => !isDnsName(one)),
  ];
  if (wrong.length > 0)
    throw new HostwrightError('bad_input', {
      message: `not an address or a DNS name: ${wrong.map((one) => JSON.stringify(one.slice(0, 60))).join(', ')}`,
    });
  checkKey(config.key);
};

export const zoneFile = (zone: string): string => `${zone}.zone`;

export const renderNamedConfig = (config: NamedConfig): string => {
  const { folder, port, key } = config;
  const [v6, v4] = [true, false].map((wanted) =>
    config.listen.filter((one) => one.includes(':') === wanted),
  );
  const list = (addresses: readonly string[] = []) =>
    addresses.length === 0 ? 'none;' : addresses.map((one) => `${one};`).join(' ');
  return [
    '# written by Hostwright; changes are overwritten',
    `key "${key.name}" { algorithm ${key.algorithm}; secret "${key.secret}"; };`,
    'options {',
    `  directory "${folder}";`,
    `  listen-on port ${port} { ${list(v4)} };`,
    `  listen-on-v6 port ${port} { ${list(v6)} };`,
    `  pid-file "${folder}/named.pid";`,
    `  session-keyfile "${folder}/session.key";`,
    '  recursion no;',
    '  allow-transfer { none; };',
    '  dnssec-validation no;',
    '  notify no;',
    '};',
    'controls { };',
    'logging {',
    `  channel main { file "${folder}/named.log" versions 2 size 5m; severity info; print-time yes; };`,
    '  category default { main; };',
    '};',
    ...config.zones.map(
      (zone) =>
        `zone "${zone}" { type primary; file "${folder}/${zoneFile(zone)}"; update-policy { grant ${key.name} zonesub ANY; }; };`,
    ),
    '',
  ].join('\n');
};

export const renderZone = (zone: string, nameServer: string): string =>
  `$TTL 300\n@ IN SOA ${nameServer}. hostmaster.${zone}. 1 3600 600 86400 300\n@ IN NS ${nameServer}.\n`;
