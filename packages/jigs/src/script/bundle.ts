/**
 * Everything a machine needs for one run, in one archive: the runner, the scripts, the attributes
 * as JSON, as files and as environment. The same for both ways to a machine.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@hostwright/core';
import { flattenAttribs } from './flatten-attribs.ts';
import { makeTar, type TarFile } from './tar.ts';

export interface Script {
  readonly name: string;
  readonly content: Buffer;
}

export interface BundleContent {
  readonly scripts: readonly Script[];
  readonly attribs: JsonObject;
  /** HOSTWRIGHT_RUN, _NODE, _ROLE ...: said to the scripts beside their attributes. */
  readonly about: Readonly<Record<string, string>>;
  /** The scripts may reboot the machine; those that have not ended run in the next boot. */
  readonly reboots?: boolean | undefined;
}

const shell = (name: string): Buffer => readFileSync(fileURLToPath(new URL(name, import.meta.url)));
const RUNNER = shell('runner.sh');
const LIB = shell('lib.sh');

/** A kernel passes about 2 MB of environment in all and 128 KB in one; files have no such end. */
const LARGEST_VARIABLE = 8 * 1024;
const LARGEST_ENVIRONMENT = 256 * 1024;
const LONGEST_NAME = 80;

const quote = (value: string): string => `'${value.replaceAll("'", `'\\''`)}'`;

const environment = (content: BundleContent, flat: ReadonlyMap<string, string>): string => {
  const lines = Object.entries(content.about).map(([name, value]) => [`HOSTWRIGHT_${name}`, value]);
  let size = 0;
  for (const [name, value] of flat) {
    size += name.length + value.length;
    if (size > LARGEST_ENVIRONMENT) break;
    if (value.length <= LARGEST_VARIABLE && !value.includes('\0'))
      lines.push([`HOSTWRIGHT_ATTR_${name}`, value]);
  }
  return lines.map(([name, value]) => `export ${name}=${quote(value ?? '')}\n`).join('');
};

export const makeBundle = (content: BundleContent): Buffer => {
  const flat = flattenAttribs(content.attribs);
  const file = (path: string, text: Buffer | string, mode = 0o600): TarFile => ({
    path,
    mode,
    content: typeof text === 'string' ? Buffer.from(text) : text,
  });
  return makeTar([
    file('runner', RUNNER, 0o700),
    file('lib.sh', LIB),
    file('attribs.json', JSON.stringify(content.attribs)),
    file('env', environment(content, flat)),
    ...(content.reboots === true ? [file('reboots', '')] : []),
    ...[...flat]
      .filter(([name]) => name.length <= LONGEST_NAME)
      .map(([name, value]) => file(`attr/${name}`, value)),
    ...content.scripts.map(({ name, content: text }) => file(`scripts/${name}`, text, 0o700)),
  ]);
};
