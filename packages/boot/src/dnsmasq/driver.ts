/**
 * Feeds dnsmasq: one small file per node, then SIGHUP, which makes dnsmasq read its folders again
 * while it goes on answering. A batch counts as taken when dnsmasq answers a DNS query with the
 * version that was written before the signal: it reloads everything before it answers again.
 */
import { Resolver } from 'node:dns/promises';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HostwrightError } from '@hostwright/core';
import { findDnsmasq } from './find.ts';
import { readAddress } from '../address/number.ts';
import type { AppliedNode, BootServerDriver } from '../feed/feed-server.ts';
import type { NodeData } from '../feed/node-data.ts';
import {
  renderDhcpHost,
  renderNamesFile,
  renderVersion,
  VERSION_NAME,
  versionAddress,
} from './render.ts';

export interface DnsmasqDriverOptions {
  readonly folder: string;
  readonly dnsPort: number;
  readonly leaseSeconds?: number;
  readonly timeoutSeconds?: number;
  /** For tests: how the loopback of the daemon's network namespace is reached. */
  readonly lookUp?: (name: string) => Promise<readonly string[]>;
}

/** Written beside and renamed: dnsmasq never reads half a file. Files whose name begins with a dot are not read. */
const replaceFile = async (folder: string, name: string, text: string): Promise<void> => {
  const path = join(folder, name);
  if (text === '') return rm(path, { force: true });
  const draft = join(folder, `.${name}`);
  await writeFile(draft, text);
  await rename(draft, path);
};

const ask =
  (port: number) =>
  async (name: string): Promise<readonly string[]> => {
    const resolver = new Resolver({ timeout: 500, tries: 1 });
    resolver.setServers([`127.0.0.1:${port}`]);
    return resolver.resolve6(name);
  };

export const dnsmasqDriver = (options: DnsmasqDriverOptions): BootServerDriver => {
  const lookUp = options.lookUp ?? ask(options.dnsPort);

  const holdsVersion = async (version: number): Promise<boolean> => {
    const wanted = readAddress(versionAddress(version))?.value;
    const found = await lookUp(VERSION_NAME).catch(() => []);
    return found.some((text) => readAddress(text)?.value === wanted);
  };

  const confirm = async (version: number): Promise<void> => {
    const limit = performance.now() + (options.timeoutSeconds ?? 10) * 1000;
    for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
      if (await holdsVersion(version)) return;
      if (performance.now() > limit)
        throw new HostwrightError('unavailable', {
          message: `dnsmasq did not take version ${version}`,
        });
      await sleep(wait);
    }
  };

  const writeNode = async (node: NodeData): Promise<AppliedNode> => {
    const name = `node-${node.nodeId}`;
    await replaceFile(
      join(options.folder, 'hosts.d'),
      name,
      renderDhcpHost(node, options.leaseSeconds),
    );
    await replaceFile(join(options.folder, 'names.d'), name, renderNamesFile(node));
    return { nodeId: node.nodeId, evidence: '' };
  };

  const apply = async (
    nodes: readonly NodeData[],
    version: number,
  ): Promise<readonly AppliedNode[]> => {
    const pid = await findDnsmasq(options.folder);
    if (pid === null)
      throw new HostwrightError('unavailable', { message: 'dnsmasq is not running' });
    const applied: AppliedNode[] = [];
    for (const node of nodes) applied.push(await writeNode(node));
    await writeFile(join(options.folder, 'version'), renderVersion(version));
    process.kill(pid, 'SIGHUP');
    await confirm(version);
    return applied.map((one) => ({
      ...one,
      evidence: `dnsmasq answered version ${version} after SIGHUP`,
    }));
  };

  return { kind: 'dnsmasq', apply };
};

export const prepareDnsmasqFolder = async (folder: string): Promise<void> => {
  for (const name of ['hosts.d', 'names.d', 'tftp/grub'])
    await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'version'), renderVersion(0), { flag: 'a' });
};
