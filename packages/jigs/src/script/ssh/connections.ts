/**
 * One kept connection per machine, shared by all its runs; closed when nobody has used it for a
 * while. A changed hammer (another key, another address) is another connection.
 */
import { HostwrightError } from '@hostwright/core';
import { Client, type ConnectConfig, type ServerHostKeyAlgorithm } from 'ssh2';
import { judgeHostKey, keyKinds } from './host-key.ts';

export interface Target {
  /** Which connection may be shared. */
  readonly key: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** A private key in PEM, or a password. */
  readonly credential: string | undefined;
  readonly pinned: readonly string[];
  readonly mayLearn: boolean;
  /** Stores a key seen for the first time; the connection waits for it. */
  readonly learn: (fingerprint: string) => Promise<void>;
}

export interface Finished {
  readonly code: number;
  readonly err: string;
}

export interface ExecOptions {
  readonly command: string;
  readonly stdin?: Buffer;
  readonly onOut: (bytes: Buffer) => void;
}

/** The way is gone, not the work: try again. */
export class ConnectionLost extends Error {}

export interface Connections {
  exec(target: Target, options: ExecOptions): Promise<Finished>;
  close(): void;
}

const IDLE_MS = 5 * 60_000;
const READY_MS = 20_000;
const KEEPALIVE_MS = 10_000;
const MOST_ERR = 4096;

interface Kept {
  readonly client: Promise<Client>;
  users: number;
  idle?: NodeJS.Timeout;
}

const refused = (message: string): HostwrightError => new HostwrightError('refused', { message });

const open = (target: Target, onGone: () => void): Promise<Client> =>
  new Promise((resolve, reject) => {
    const client = new Client();
    let why: HostwrightError | undefined;
    const kinds = keyKinds(target.pinned);
    const config: ConnectConfig = {
      host: target.host,
      port: target.port,
      username: target.username,
      readyTimeout: READY_MS,
      keepaliveInterval: KEEPALIVE_MS,
      keepaliveCountMax: 3,
      hostVerifier: (key: Buffer, verify: (good: boolean) => void) => {
        const judged = judgeHostKey(key, target);
        if (judged.kind === 'pinned') verify(true);
        else if (judged.kind === 'learn')
          target.learn(judged.fingerprint).then(
            () => verify(true),
            () => verify(false),
          );
        else {
          why = refused(judged.reason);
          verify(false);
        }
      },
      // the library names only the kinds it knows; an unknown one fails the handshake, as it should
      ...(kinds !== undefined && {
        algorithms: { serverHostKey: kinds as ServerHostKeyAlgorithm[] },
      }),
      ...(target.credential !== undefined &&
        (target.credential.includes('PRIVATE KEY-----')
          ? { privateKey: target.credential }
          : { password: target.credential })),
    };
    client.once('ready', () => {
      client.setNoDelay(true);
      client.setMaxListeners(100);
      resolve(client);
    });
    client.on('error', (error) => {
      onGone();
      const level = 'level' in error ? error.level : '';
      if (level === 'client-authentication')
        why ??= refused(`${target.username} may not sign in at ${target.host}`);
      reject(why ?? new ConnectionLost(error.message, { cause: error }));
    });
    client.on('close', () => {
      onGone();
      reject(why ?? new ConnectionLost('the connection was closed'));
    });
    client.connect(config);
  });

export const createConnections = (): Connections => {
  const kept = new Map<string, Kept>();

  const take = (target: Target): Kept => {
    const here = kept.get(target.key);
    if (here !== undefined) {
      clearTimeout(here.idle);
      return here;
    }
    const made: Kept = {
      client: open(target, () => {
        if (kept.get(target.key) === made) kept.delete(target.key);
      }),
      users: 0,
    };
    kept.set(target.key, made);
    return made;
  };

  const leave = (target: Target, used: Kept): void => {
    if (--used.users > 0) return;
    used.idle = setTimeout(() => {
      if (kept.get(target.key) === used) kept.delete(target.key);
      used.client.then((client) => client.end()).catch(() => {});
    }, IDLE_MS).unref();
  };

  const runOn = (client: Client, options: ExecOptions): Promise<Finished> =>
    new Promise((resolve, reject) => {
      const lost = (): void => reject(new ConnectionLost('the connection was lost'));
      client.once('close', lost);
      client.exec(options.command, (error, channel) => {
        if (error) {
          client.removeListener('close', lost);
          reject(new ConnectionLost(error.message, { cause: error }));
          return;
        }
        let err = '';
        let code: number | null = null;
        channel.on('data', options.onOut);
        channel.stderr.on('data', (bytes: Buffer) => {
          if (err.length < MOST_ERR) err += bytes.toString('utf8');
        });
        channel.once('exit', (status: number | null) => {
          code = status;
        });
        channel.once('close', () => {
          client.removeListener('close', lost);
          if (code === null) lost();
          else resolve({ code, err });
        });
        // whoever does not read its standard input to the end may close it
        channel.on('error', () => {});
        channel.end(options.stdin ?? Buffer.alloc(0));
      });
    });

  return {
    exec: async (target, options) => {
      const used = take(target);
      used.users++;
      try {
        return await runOn(await used.client, options);
      } finally {
        leave(target, used);
      }
    },
    close: () => {
      for (const { client, idle } of kept.values()) {
        clearTimeout(idle);
        client.then((open) => open.end()).catch(() => {});
      }
      kept.clear();
    },
  };
};
