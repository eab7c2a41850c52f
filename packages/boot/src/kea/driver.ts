/**
 * Feeds Kea through its host database in PostgreSQL: Kea reads a host's row at each request, so a row
 * that is committed is in effect, however many nodes there are, without a reload. The control channel
 * is asked once per batch whether the daemon is there and reads from that database.
 */
import { HostwrightError } from '@hostwright/core';
import type pg from 'pg';
import { readAddress } from '../address/number.ts';
import type { AppliedNode, BootServerDriver } from '../feed/feed-server.ts';
import type { NodeData } from '../feed/node-data.ts';
import { isDnsName } from '../valid.ts';
import { askKea } from './control.ts';

export interface KeaDriverOptions {
  /** The database of Kea's own schema. */
  readonly pool: pg.Pool;
  readonly controlSocket: string;
  /** Kea's numbers of the subnets it serves. */
  readonly subnets: readonly { readonly id: number; readonly subnet: string }[];
}

interface HostRow {
  readonly node: string;
  readonly mac: string;
  readonly subnet: number;
  readonly address: number;
  readonly name: string | null;
  readonly file: string | null;
}

const context = (nodeId: number): string => JSON.stringify({ hostwright: nodeId });

/** Pure: a node's rows, one per card and subnet. */
export const hostRows = (
  node: NodeData,
  subnets: KeaDriverOptions['subnets'],
): readonly HostRow[] => {
  if (node.removed) return [];
  const served = new Map<number, string>();
  for (const one of node.addresses) {
    const id = subnets.find((known) => known.subnet === one.subnet)?.id;
    if (one.category !== 'bmc' && id !== undefined && !served.has(id)) served.set(id, one.address);
  }
  return node.macs.flatMap((mac) =>
    [...served].map(([subnet, address]) => ({
      node: context(node.nodeId),
      mac: mac.replaceAll(':', ''),
      subnet,
      address: Number(readAddress(address)?.value ?? 0n),
      name: isDnsName(node.name) ? node.name : null,
      // a file that is not there: the firmware goes on to the disk, with Hostwright up or down
      file: node.local ? 'local' : null,
    })),
  );
};

const REPLACE = `
  with gone as (delete from hosts where user_context = any($1::text[]) returning 1)
  select count(*) from gone`;
const INSERT = `
  insert into hosts (dhcp_identifier, dhcp_identifier_type, dhcp4_subnet_id, ipv4_address, hostname, dhcp4_boot_file_name, user_context)
  select decode(r.mac, 'hex'), 0, r.subnet, r.address, r.name, r.file, r.node
  from jsonb_to_recordset($1::jsonb) r(node text, mac text, subnet bigint, address bigint, name text, file text)`;

const writeNodes = async (
  client: pg.PoolClient,
  nodes: readonly NodeData[],
  subnets: KeaDriverOptions['subnets'],
): Promise<void> => {
  await client.query('begin');
  try {
    await client.query(REPLACE, [nodes.map((node) => context(node.nodeId))]);
    await client.query(INSERT, [JSON.stringify(nodes.flatMap((node) => hostRows(node, subnets)))]);
    await client.query('commit');
  } catch (error) {
    // if it is gone too, what it refused is the reason
    await client.query('rollback').catch(() => {});
    throw error;
  }
};

const usesHostDatabase = (answer: unknown): boolean =>
  JSON.stringify(answer).includes('"postgresql"');

/** SQLSTATE 22: data exception, 23: a constraint. */
const isRefusedForData = (cause: unknown): boolean =>
  cause instanceof Error &&
  'code' in cause &&
  typeof cause.code === 'string' &&
  /^2[23]/.test(cause.code);

const EVIDENCE = 'committed to the host database that Kea reads at each request';

export const keaDriver = (options: KeaDriverOptions): BootServerDriver => {
  const { pool, subnets } = options;

  /**
   * One bad node spoils a batch: then each is written by itself, and the bad one is named. Only what
   * the database refuses for its data stays refused; if it was away, nothing has been taken.
   */
  const oneByOne = async (
    client: pg.PoolClient,
    nodes: readonly NodeData[],
  ): Promise<readonly AppliedNode[]> => {
    const applied: AppliedNode[] = [];
    for (const node of nodes) {
      const { nodeId } = node;
      applied.push(
        await writeNodes(client, [node], subnets).then(
          () => ({ nodeId, evidence: EVIDENCE }),
          (cause: unknown) => ({
            nodeId,
            evidence: '',
            error: cause instanceof Error ? cause.message : String(cause),
            ...(!isRefusedForData(cause) && { later: true as const }),
          }),
        ),
      );
    }
    return applied;
  };

  return {
    kind: 'kea',
    apply: async (nodes) => {
      if (!usesHostDatabase(await askKea(options.controlSocket, 'config-get'))) {
        throw new HostwrightError('conflict', {
          message: 'Kea runs, but does not read its hosts from PostgreSQL',
        });
      }
      const client = await pool.connect();
      try {
        await writeNodes(client, nodes, subnets);
        return nodes.map((node) => ({ nodeId: node.nodeId, evidence: EVIDENCE }));
      } catch {
        return await oneByOne(client, nodes);
      } finally {
        client.release();
      }
    },
  };
};
