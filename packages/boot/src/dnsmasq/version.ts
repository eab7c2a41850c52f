/**
 * How dnsmasq shows what it has taken: names that it answers with a version. It handles what inotify
 * tells it in order, so the version that was written last proves the files before it; another name
 * stands in a file that is read at SIGHUP only, and proves a whole reload.
 */
import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostwrightError } from '@hostwright/core';
import { readAddress } from '../address/number.ts';

export const TAKEN_NAME = 'version.hostwright.invalid';
export const RELOADED_NAME = 'reload.hostwright.invalid';

/** A version as an address that no machine has: fd48:7721::/32 and 64 bits of number. */
export const versionAddress = (version: number): string => {
  const hex = version.toString(16).padStart(16, '0');
  return `fd48:7721:0:0:${hex.slice(0, 4)}:${hex.slice(4, 8)}:${hex.slice(8, 12)}:${hex.slice(12)}`;
};

export const renderVersion = (version: number, name: string): string =>
  `${versionAddress(version)} ${name}\n`;

export type LookUp = (name: string) => Promise<readonly string[]>;

export const askPort =
  (port: number): LookUp =>
  async (name) => {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    return resolver.resolve6(name);
  };

export const confirmVersion = async (options: {
  readonly lookUp: LookUp;
  readonly name: string;
  readonly version: number;
  readonly timeoutSeconds: number;
}): Promise<void> => {
  const { lookUp, name, version } = options;
  const wanted = readAddress(versionAddress(version))?.value;
  const limit = performance.now() + options.timeoutSeconds * 1000;
  for (let wait = 2; ; wait = Math.min(wait * 1.25, 100)) {
    const found = await lookUp(name).catch(() => []);
    if (found.some((text) => readAddress(text)?.value === wanted)) return;
    if (performance.now() > limit)
      throw new HostwrightError('unavailable', {
        message: `dnsmasq did not take version ${version}`,
      });
    await sleep(wait);
  }
};
