/**
 * Feeds BIND, or any server that takes RFC 2136 updates signed with TSIG. What a node has is written
 * as a whole: its earlier names are deleted in the same update that adds the new ones. A node counts
 * as taken when the server answers a query with exactly its records. The key travels in a file that
 * only we can read, never on a command line.
 */
import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type { AppliedNode, BootServerDriver } from '../feed/feed-server.ts';
import type { NodeData } from '../feed/node-data.ts';
import { recordsOf, type DnsRecord } from './records.ts';

export interface TsigKey {
  readonly name: string;
  readonly algorithm: 'hmac-sha256' | 'hmac-sha512';
  readonly secret: string;
}

export interface BindDriverOptions {
  /** Holds, per node, what was written last: what must go when it changes. */
  readonly folder: string;
  readonly server: string;
  readonly port: number;
  readonly zones: readonly string[];
  readonly key: TsigKey;
  readonly ttl?: number;
}

const keyText = ({ name, algorithm, secret }: TsigKey): string => {
  if (!/^[A-Za-z0-9._-]{1,253}$/.test(name) || !/^[A-Za-z0-9+/]{8,200}={0,2}$/.test(secret)) {
    throw new HostwrightError('bad_input', { message: 'the TSIG key is not valid' });
  }
  return `key "${name}" {\n  algorithm ${algorithm};\n  secret "${secret}";\n};\n`;
};

const nsupdate = (keyFile: string, commands: string): Promise<string | null> =>
  new Promise((resolve) => {
    const child = execFile(
      'nsupdate',
      ['-k', keyFile, '-t', '10', '-v'],
      { timeout: 30_000 },
      (error, _stdout, stderr) =>
        resolve(error === null ? null : (stderr.trim().split('\n').at(-1) ?? error.message)),
    );
    child.stdin?.end(commands);
  });

const isRecord = (value: unknown): value is DnsRecord =>
  typeof value === 'object' &&
  value !== null &&
  'zone' in value &&
  'name' in value &&
  'type' in value &&
  'value' in value;

export const bindDriver = (options: BindDriverOptions): BootServerDriver => {
  const { folder, server, port, zones } = options;
  const ttl = options.ttl ?? 300;
  const keyFile = join(folder, 'update.key');
  const memory = (nodeId: number) => join(folder, 'nodes', `node-${nodeId}`);

  const readWritten = async (nodeId: number): Promise<readonly DnsRecord[]> => {
    const text = await readFile(memory(nodeId), 'utf8').catch(() => '[]');
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed.filter(isRecord) : [];
  };

  const remember = async (nodeId: number, records: readonly DnsRecord[]): Promise<void> => {
    if (records.length === 0) return rm(memory(nodeId), { force: true });
    await writeFile(`${memory(nodeId)}.new`, JSON.stringify(records));
    return rename(`${memory(nodeId)}.new`, memory(nodeId));
  };

  /** One message per zone, because a message is of one zone; within it all or nothing. */
  const commandsFor = (before: readonly DnsRecord[], after: readonly DnsRecord[]): string => {
    const touched = [...new Set([...before, ...after].map((record) => record.zone))];
    const blocks = touched.map((zone) => {
      const gone = before.filter((record) => record.zone === zone);
      const added = after.filter((record) => record.zone === zone);
      return [
        `server ${server} ${port}`,
        `zone ${zone}.`,
        ...gone.map((record) => `update delete ${record.name}. ${record.type} ${record.value}`),
        ...added.map(
          (record) => `update add ${record.name}. ${ttl} ${record.type} ${record.value}`,
        ),
        'send',
      ].join('\n');
    });
    return blocks.length === 0 ? '' : `${blocks.join('\n')}\nquit\n`;
  };

  const holds = async (record: DnsRecord): Promise<boolean> => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    resolver.setServers([server.includes(':') ? `[${server}]:${port}` : `${server}:${port}`]);
    const found: unknown[] = await resolver.resolve(record.name, record.type).catch(() => []);
    const wanted = record.value.replace(/\.$/, '');
    return found.some((value) => value === wanted);
  };

  const applyNode = async (node: NodeData): Promise<AppliedNode> => {
    const before = await readWritten(node.nodeId);
    const after = recordsOf(node, zones);
    // what will be there is remembered first: a crash between the two leaves no orphan in the zone
    await remember(node.nodeId, [...before, ...after]);
    const commands = commandsFor(before, after);
    const error = commands === '' ? null : await nsupdate(keyFile, commands);
    if (error !== null)
      throw new HostwrightError('unavailable', {
        message: `the DNS server refused the update: ${error}`,
      });
    const missing = [];
    for (const record of after)
      if (!(await holds(record))) missing.push(`${record.name} ${record.type}`);
    if (missing.length > 0)
      throw new HostwrightError('unavailable', {
        message: `the DNS server took the update, but does not answer ${missing.join(', ')}`,
      });
    await remember(node.nodeId, after);
    return { nodeId: node.nodeId, evidence: `${after.length} records answered by ${server}` };
  };

  return {
    kind: 'bind',
    apply: async (nodes) => {
      await mkdir(join(folder, 'nodes'), { recursive: true });
      await writeFile(keyFile, keyText(options.key), { mode: 0o600 });
      const applied: AppliedNode[] = [];
      for (const node of nodes) applied.push(await applyNode(node));
      return applied;
    },
  };
};
