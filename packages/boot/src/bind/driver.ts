/**
 * Feeds BIND, or any server that takes RFC 2136 updates signed with TSIG. What a node had and has no
 * more is deleted in the same update that adds what is new. A node counts as taken when the server
 * answers a query with each of its records.
 */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HostwrightError } from '@hostwright/core';
import type { AppliedNode, BootServerDriver } from '../feed/feed-server.ts';
import type { NodeData } from '../feed/node-data.ts';
import { openDnsClient, type DnsClient } from './client.ts';
import { recordsOf, type DnsRecord } from './records.ts';
import type { TsigKey } from './tsig.ts';
import type { Change } from './wire.ts';

export interface BindDriverOptions {
  /** Holds, per node, what was written last: what must go when it changes. */
  readonly folder: string;
  readonly server: string;
  readonly port: number;
  readonly zones: readonly string[];
  readonly key: TsigKey;
  readonly ttl?: number;
}

export const checkKey = ({ name, secret }: TsigKey): void => {
  if (!/^[A-Za-z0-9._-]{1,253}$/.test(name) || !/^[A-Za-z0-9+/]{8,200}={0,2}$/.test(secret))
    throw new HostwrightError('bad_input', { message: 'the TSIG key is not valid' });
};

const isRecord = (value: unknown): value is DnsRecord =>
  typeof value === 'object' &&
  value !== null &&
  'zone' in value &&
  'name' in value &&
  'type' in value &&
  'value' in value;

const keyOf = (record: DnsRecord): string => JSON.stringify(record);

/** Pure: per zone, what goes and what comes. What stays is added again: the server may have lost it. */
export const changesFor = (
  before: readonly DnsRecord[],
  after: readonly DnsRecord[],
): ReadonlyMap<string, readonly Change[]> => {
  const stays = new Set(after.map(keyOf));
  const changes = [
    ...before
      .filter((record) => !stays.has(keyOf(record)))
      .map((record) => ({ ...record, action: 'delete' as const })),
    ...after.map((record) => ({ ...record, action: 'add' as const })),
  ];
  return Map.groupBy(changes, (change) => change.zone);
};

export const bindDriver = (options: BindDriverOptions): BootServerDriver => {
  const { folder, server, port, zones, key } = options;
  const ttl = options.ttl ?? 300;
  const memory = (nodeId: number) => join(folder, 'nodes', `node-${nodeId}`);

  const readWritten = async (nodeId: number): Promise<readonly DnsRecord[]> => {
    const text = await readFile(memory(nodeId), 'utf8').catch(() => '[]');
    try {
      const parsed: unknown = JSON.parse(text);
      return Array.isArray(parsed) ? parsed.filter(isRecord) : [];
    } catch {
      // cut off by a power cut: what it was is not known any more
      return [];
    }
  };

  const remember = async (nodeId: number, records: readonly DnsRecord[]): Promise<void> => {
    if (records.length === 0) return rm(memory(nodeId), { force: true });
    await writeFile(`${memory(nodeId)}.new`, JSON.stringify(records));
    return rename(`${memory(nodeId)}.new`, memory(nodeId));
  };

  const applyNode = async (client: DnsClient, node: NodeData): Promise<AppliedNode> => {
    const before = await readWritten(node.nodeId);
    const after = recordsOf(node, zones);
    // what will be there is remembered first: a crash between the two leaves no orphan in the zone
    await remember(node.nodeId, [...before, ...after]);
    for (const [zone, changes] of changesFor(before, after))
      await client.update(zone, changes, ttl);
    const missing: string[] = [];
    for (const record of after)
      if (!(await client.holds(record))) missing.push(`${record.name} ${record.type}`);
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
      checkKey(key);
      await mkdir(join(folder, 'nodes'), { recursive: true, mode: 0o700 });
      const client = await openDnsClient({ server, port, key });
      try {
        const applied: AppliedNode[] = [];
        for (const node of nodes) {
          const one = await applyNode(client, node).catch((cause: unknown) => ({
            nodeId: node.nodeId,
            evidence: '',
            error: cause instanceof Error ? cause.message : String(cause),
            later: true as const,
          }));
          applied.push(one);
          // one node that the server refuses is its own affair; a server that is gone is everybody's
          if (!client.isOpen()) break;
        }
        return applied;
      } finally {
        client.close();
      }
    },
  };
};
