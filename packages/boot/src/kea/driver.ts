/**
 * Feeds Kea through its host database in PostgreSQL: Kea reads a host's row at each request, so a row
 * that is committed is in effect, however many nodes there are, without a reload. The control channel
 * is asked once per batch whether the daemon is there and reads from that database.
 */
import { connect } from 'node:net';
import { HostwrightError } from '@hostwright/core';
import type pg from 'pg';
import { readAddress } from '../address/number.ts';
import type { AppliedNode, BootServerDriver } from '../feed/feed-server.ts';
import type { NodeData } from '../feed/node-data.ts';

export interface KeaDriverOptions {
  /** The database of Kea's own schema. */
  readonly pool: pg.Pool;
  readonly controlSocket: string;
  /** Kea's number of the subnet. */
  readonly subnetId: number;
}

export const askKea = (socket: string, command: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const connection = connect(socket);
    connection.setTimeout(5000, () => connection.destroy(new Error('no answer')));
    connection.once('connect', () => connection.write(JSON.stringify({ command })));
    connection.on('data', (chunk: Buffer) => chunks.push(chunk));
    connection.once('error', (error) =>
      reject(
        new HostwrightError('unavailable', {
          message: `Kea does not answer: ${error.message}`,
          cause: error,
        }),
      ),
    );
    connection.once('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString()));
      } catch (error) {
        reject(
          new HostwrightError('unavailable', {
            message: 'Kea answered something that is no JSON',
            cause: error,
          }),
        );
      }
    });
  });

const usesHostDatabase = (answer: unknown): boolean =>
  JSON.stringify(answer).includes('"postgresql"');

const HOST = `
  insert into hosts (dhcp_identifier, dhcp_identifier_type, dhcp4_subnet_id, ipv4_address, hostname, dhcp4_boot_file_name, user_context)
  values (decode($1, 'hex'), 0, $2, $3, $4, $5, $6)`;

export const keaDriver = (options: KeaDriverOptions): BootServerDriver => {
  const applyNode = async (client: pg.PoolClient, node: NodeData): Promise<void> => {
    const address = node.addresses.find(
      (one) => one.category !== 'bmc' && !one.address.includes(':'),
    );
    await client.query('begin');
    try {
      await client.query(`delete from hosts where user_context = $1`, [context(node.nodeId)]);
      if (!node.removed && address !== undefined) {
        for (const mac of node.macs) {
          await client.query(HOST, [
            mac.replaceAll(':', ''),
            options.subnetId,
            Number(readAddress(address.address)?.value ?? 0n),
            node.name,
            // a file that is not there: the firmware goes on to the disk, with Hostwright up or down
            node.local ? 'local' : null,
            context(node.nodeId),
          ]);
        }
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  };

  return {
    kind: 'kea',
    apply: async (nodes) => {
      if (!usesHostDatabase(await askKea(options.controlSocket, 'config-get'))) {
        throw new HostwrightError('conflict', {
          message: 'Kea runs, but does not read its hosts from PostgreSQL',
        });
      }
      const applied: AppliedNode[] = [];
      const client = await options.pool.connect();
      try {
        for (const node of nodes) {
          try {
            await applyNode(client, node);
            applied.push({
              nodeId: node.nodeId,
              evidence: 'committed to the host database that Kea reads at each request',
            });
          } catch (error) {
            applied.push({
              nodeId: node.nodeId,
              evidence: '',
              error: error instanceof Error ? error.message : String(error),
            });
          }
        }
      } finally {
        client.release();
      }
      return applied;
    },
  };
};

const context = (nodeId: number): string => JSON.stringify({ hostwright: nodeId });
