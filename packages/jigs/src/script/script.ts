/**
 * Runs a role's scripts on its node: over the node's agent if it has one, else over SSH. Both ways
 * carry the same bundle with the same runner (docs/reference/script-contract.md).
 */
import { HostwrightError } from '@hostwright/core';
import {
  isFirstKeyTrusted,
  listHammers,
  putHammer,
  readSecret,
  readWayToNode,
  reveal,
  type Database,
  type Evidence,
  type Jig,
  type Log,
  type MasterKey,
  type Outcome,
  type RunHandle,
  type SshHammer,
  type WayToNode,
} from '@hostwright/engine';
import { createAgentWay } from './agent-way.ts';
import { makeBundle } from './bundle.ts';
import { readResult, toOutcome } from './outcome.ts';
import { readScripts } from './read-scripts.ts';
import { createConnections, type Target } from './ssh/connections.ts';
import { createGreeter } from './ssh/greet.ts';
import { pinnedKeys } from './ssh/host-key.ts';
import { createSshWay } from './ssh/ssh-way.ts';

export interface ScriptJigOptions {
  readonly database: Database;
  readonly master: MasterKey;
  readonly log: Log;
}

export interface ScriptJig extends Jig {
  /** Asks every machine that has no agent which boot it is in. Also done every 15 seconds. */
  greet(): Promise<void>;
  /** Closes the kept connections. What runs on machines goes on. */
  close(): void;
}

const failed = (reason: string, blame: 'content' | 'operator'): Outcome => ({
  kind: 'failed',
  reason,
  retryable: false,
  blame,
});

const parseEndpoint = (endpoint: string): { host: string; port: number } => {
  const found = /^(?:ssh:\/\/)?(\[[^\]]+\]|[^:]+)(?::(\d{1,5}))?\/?$/.exec(endpoint);
  if (found?.[1] === undefined)
    throw new HostwrightError('refused', {
      message: `${endpoint} is not a host, or a host and a port`,
    });
  return { host: found[1].replace(/^\[|\]$/g, ''), port: Number(found[2] ?? 22) };
};

/** A plain absolute path, or nothing: it is put between single quotes on a command line. */
const stateOf = (hammer: SshHammer): string => {
  const state = hammer.config['stateDir'];
  return typeof state === 'string' && /^\/[A-Za-z0-9/._-]+$/.test(state) ? state : '';
};

export const createScriptJig = ({ database, master, log }: ScriptJigOptions): ScriptJig => {
  const { db } = database;
  const agentWay = createAgentWay({ database, master });
  const connections = createConnections();
  const sshWay = createSshWay({ database, connections });

  const targetOf = async (
    node: { readonly id: number; readonly name: string },
    hammer: SshHammer,
    trustFirstKey: boolean,
  ): Promise<Target> => {
    const pinned = pinnedKeys(hammer.config);
    return {
      key: `${hammer.id}:${hammer.revision}`,
      ...parseEndpoint(hammer.endpoint === '' ? node.name : hammer.endpoint),
      username: hammer.username === '' ? 'root' : hammer.username,
      credential:
        hammer.secret === null
          ? undefined
          : reveal(await readSecret(db, { name: hammer.secret, master })),
      pinned,
      mayLearn: trustFirstKey || hammer.config['trustFirstKey'] === true,
      learn: async (fingerprint) => {
        // read again: another worker may have learned another key meanwhile
        const now = (await listHammers(db, node.id)).find(({ id }) => id === hammer.id);
        if (now === undefined || pinnedKeys(now.config).length > 0)
          throw new HostwrightError('conflict');
        log.info({ node: node.name, fingerprint }, 'host key seen for the first time: pinned');
        await putHammer(db, {
          node: node.id,
          kind: 'ssh',
          config: { ...now.config, hostKeys: [fingerprint] },
          revision: now.revision,
          actor: 'script jig',
        });
      },
    };
  };

  const greeter = createGreeter({
    database,
    log,
    connections,
    targetOf: async (node) => targetOf(node, node.hammer, await isFirstKeyTrusted(db)),
  });

  const wayOf = (handle: RunHandle): Promise<WayToNode> =>
    readWayToNode(db, {
      nodeId: handle.node.id,
      barclamp: handle.role.barclamp,
      roleId: handle.role.id,
    });

  const carryOut = async (handle: RunHandle): Promise<Outcome> => {
    const way = await wayOf(handle);
    const found = await readScripts({
      folder: way.folder,
      role: handle.role.name,
      kind: handle.kind,
    });
    if (!found.ok) return failed(found.reason, 'content');
    const tar = makeBundle({
      scripts: found.scripts,
      attribs: handle.attribs,
      reboots: way.reboots,
      about: {
        RUN: String(handle.runId),
        ATTEMPT: String(handle.attempt),
        KIND: handle.kind,
        NODE: handle.node.name,
        ROLE: handle.role.name,
        DEPLOYMENT: handle.deployment.name,
      },
    });
    // A run stays on the way it began: the other one does not know of it.
    const begun = handle.memo?.['way'];
    if (begun === 'agent' || (begun !== 'ssh' && way.agent)) return agentWay.offer(handle, tar);
    if (way.ssh === null)
      return failed(
        `node ${handle.node.name} has neither an agent nor an ssh hammer: join it, or give it one`,
        'operator',
      );
    if (begun !== 'ssh') await handle.remember({ way: 'ssh', offset: 0 });
    const target = await targetOf(handle.node, way.ssh, way.trustFirstKey);
    return sshWay.carry({ handle, target, state: stateOf(way.ssh), tar });
  };

  const cancel = async (handle: RunHandle): Promise<void> => {
    if (handle.memo?.['way'] !== 'ssh') return agentWay.cancel(handle);
    const way = await wayOf(handle);
    if (way.ssh === null) return;
    const target = await targetOf(handle.node, way.ssh, way.trustFirstKey);
    await sshWay.end({ handle, target, state: stateOf(way.ssh) });
  };

  return {
    name: 'script',
    description: 'runs scripts on the node, over its agent or SSH',
    run: carryOut,
    recover: carryOut,
    resume: (_handle, evidence: Evidence) =>
      Promise.resolve(toOutcome(readResult(evidence.payload))),
    cancel,
    greet: () => greeter.greet(),
    close: () => {
      greeter.close();
      connections.close();
    },
  };
};
