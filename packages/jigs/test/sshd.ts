/** A real sshd on a port of its own, with its own host key and its own state folder for runs. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@hostwright/testkit';

export interface Sshd {
  readonly port: number;
  readonly username: string;
  /** Where runs are kept on this "machine". */
  readonly state: string;
  readonly home: string;
  readonly hostKey: string;
  readonly userKey: string;
  /** As if the machine had been installed anew. */
  changeHostKey(): Promise<void>;
  /** Cuts every connection; the port goes on listening. */
  cut(): void;
  stop(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

/** By ssh-keygen: ssh2 now and then makes a key that it cannot read itself. */
const makeKey = (file: string): { readonly public: string; readonly private: string } => {
  rmSync(file, { force: true });
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file], {
    stdio: 'ignore',
  });
  return {
    public: readFileSync(`${file}.pub`, 'utf8').trim(),
    private: readFileSync(file, 'utf8'),
  };
};

export const startSshd = async (): Promise<Sshd> => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-sshd-'));
  const state = join(home, 'state');
  const port = await freePort();
  const user = makeKey(join(home, 'user_key'));
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  writeFileSync(join(home, 'authorized_keys'), `${user.public}\n`, { mode: 0o600 });
  writeFileSync(
    join(home, 'config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${home}/host_key`,
      `AuthorizedKeysFile ${home}/authorized_keys`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'PermitRootLogin yes',
      'PidFile none',
      'MaxStartups 100',
      `SetEnv HOSTWRIGHT_STATE=${state} HOSTWRIGHT_GRACE_SECONDS=1`,
    ].join('\n'),
  );
  let hostKey = '';
  let daemon: ChildProcess;
  const writeHostKey = (): void => {
    hostKey = makeKey(join(home, 'host_key')).public;
  };
  const start = async (): Promise<void> => {
    daemon = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(home, 'config')], {
      stdio: 'ignore',
      detached: true,
    });
    await eventually(() => listens(port), { what: 'an sshd that listens' });
  };
  /** The sessions too: they are in the daemon's process group. */
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      if (daemon.exitCode !== null) return resolve();
      daemon.once('exit', () => resolve());
      process.kill(-(daemon.pid ?? 0), 'SIGKILL');
    });
  writeHostKey();
  await start();
  return {
    port,
    username: userInfo().username,
    state,
    home,
    get hostKey() {
      return hostKey;
    },
    userKey: user.private,
    changeHostKey: async () => {
      await end();
      writeHostKey();
      await start();
    },
    cut: () => {
      void end().then(start);
    },
    stop: async () => {
      await end();
      rmSync(home, { recursive: true, force: true });
    },
  };
};
