/** A made-up machine: its own /proc and /sys, its own state folder, and one shell for everything. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Shell = 'dash' | 'bash' | 'busybox';
export const SHELLS: readonly Shell[] = ['dash', 'bash', 'busybox'];

export interface Machine {
  readonly home: string;
  readonly state: string;
  /** Puts a file into the machine's /proc, /sys or /etc. */
  write(path: string, content: string | Buffer): void;
  reboot(): void;
  /** `sh -c` on this machine. */
  sh(command: string, environment?: Readonly<Record<string, string>>): Promise<Said>;
  join(options: {
    readonly url: string;
    readonly token: string;
    readonly fingerprint: string;
  }): Promise<Said>;
  serve(): void;
  /** As `kill`; the scripts live on. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  log(): string;
  remove(): Promise<void>;
}

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const binFolder = (home: string, shell: Shell, client: 'curl' | 'wget'): string => {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const link = (name: string, target: string): void => {
    if (!existsSync(join(bin, name))) symlinkSync(target, join(bin, name));
  };
  if (shell === 'busybox') {
    const { stdout } = spawnSync('busybox', ['--list'], { encoding: 'utf8' });
    for (const applet of stdout.trim().split('\n'))
      if (applet !== 'wget') link(applet, '/bin/busybox');
  } else {
    link('sh', `/bin/${shell}`);
    const programs =
      'awk od sed tail head tr wc tar sha256sum base64 setsid cat mkdir rm mv cp ln grep sleep date id uname readlink chmod ls dirname flock kill env printf true false touch rmdir nproc seq sync cut cksum timeout wipefs';
    for (const program of programs.split(' '))
      for (const folder of ['/usr/bin', '/bin', '/usr/sbin', '/sbin'])
        if (existsSync(join(folder, program))) link(program, join(folder, program));
  }
  link(client, `/usr/bin/${client}`);
  return bin;
};

export const createMachine = (shell: Shell, client: 'curl' | 'wget' = 'curl'): Machine => {
  const home = mkdtempSync(join(tmpdir(), 'hostwright-machine-'));
  const root = join(home, 'root');
  const state = join(home, 'state');
  const bin = binFolder(home, shell, client);
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const mac = randomBytes(5)
    .toString('hex')
    .replace(/(..)(?=.)/g, '$1:');
  write('proc/sys/kernel/random/boot_id', `${randomUUID()}\n`);
  write('proc/sys/kernel/hostname', `m-${randomBytes(4).toString('hex')}\n`);
  write('proc/sys/kernel/osrelease', '6.12.0-test\n');
  write('proc/uptime', '1234.56 99.0\n');
  write('proc/meminfo', 'MemTotal:       16303428 kB\nMemFree: 1 kB\n');
  write(
    'proc/cpuinfo',
    'processor\t: 0\nmodel name\t: Test CPU @ 3 GHz\nphysical id\t: 0\ncore id\t: 0\n\nprocessor\t: 1\nmodel name\t: Test CPU\nphysical id\t: 0\ncore id\t: 1\n',
  );
  write('etc/machine-id', `${randomBytes(16).toString('hex')}\n`);
  write('etc/os-release', 'ID=debian\nVERSION_ID="13"\n');
  write('sys/class/dmi/id/product_uuid', `${randomUUID()}\n`);
  write('sys/class/dmi/id/product_serial', `SN${randomBytes(6).toString('hex')}\n`);
  write('sys/class/net/eth0/address', `02:${mac}\n`);
  write('sys/class/net/eth0/type', '1\n');
  write('sys/class/net/eth0/speed', '10000\n');
  write('sys/class/net/eth0/carrier', '1\n');
  write('sys/block/sda/size', '1000215216\n');
  write('sys/block/sda/queue/rotational', '0\n');
  write('sys/block/sda/device/serial', 'DISK1\n');
  write('sys/block/sda/device/model', 'Test Disk\n');

  const environment = {
    PATH: bin,
    HOME: home,
    HOSTWRIGHT_STATE: state,
    HOSTWRIGHT_AGENT_ROOT: root,
    HOSTWRIGHT_GRACE_SECONDS: '1',
    HOSTWRIGHT_REBOOT: `touch ${home}/rebooted`,
  };
  const sh = (command: string, more: Readonly<Record<string, string>> = {}): Promise<Said> =>
    new Promise((resolve, reject) => {
      const child = spawn(join(bin, 'sh'), ['-c', command], {
        env: { ...environment, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let out = '';
      let err = '';
      child.stdout.on('data', (text: Buffer) => (out += text.toString('utf8')));
      child.stderr.on('data', (text: Buffer) => (err += text.toString('utf8')));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, out, err }));
    });

  let agent: ChildProcess | undefined;
  let said = '';
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    const child = agent;
    agent = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  };

  return {
    home,
    state,
    write,
    sh,
    reboot: () => write('proc/sys/kernel/random/boot_id', `${randomUUID()}\n`),
    join: ({ url, token, fingerprint }) =>
      sh(
        client === 'curl'
          ? `curl -fsSk ${url}/join | sh -s -- --ca-fingerprint ${fingerprint} --no-service`
          : `wget -q --no-check-certificate -O - ${url}/join | sh -s -- --ca-fingerprint ${fingerprint} --no-service`,
        { HOSTWRIGHT_JOIN_TOKEN: token },
      ),
    serve: () => {
      agent = spawn(join(bin, 'sh'), [join(state, 'agent'), 'serve'], {
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      agent.stderr?.on('data', (text: Buffer) => (said += text.toString('utf8')));
    },
    stop,
    log: () => said,
    remove: async () => {
      await stop();
      await sh(`for r in ${state}/runs/*/runner; do [ -f "$r" ] && sh "$r" cancel; done; true`);
      rmSync(home, { recursive: true, force: true });
    },
  };
};
