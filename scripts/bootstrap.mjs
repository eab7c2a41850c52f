// The only plain JavaScript here: it runs on whatever Node the system has (20 or later), installs
// what package-lock.json names - the project's own Node 26 among it - and hands over to that Node.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants as file,
  existsSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = join(root, 'node_modules/node/bin/node');
const stamp = join(root, 'node_modules/.hostwright-installed');
const programs = {
  up: ['packages/cli/src/main.ts', 'up'],
  cli: ['packages/cli/src/main.ts'],
  test: ['scripts/test.ts'],
  check: ['scripts/check.ts'],
  build: ['scripts/build.ts'],
  bench: ['bench/main.ts'],
};

const wanted = () => {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const manifest = join(root, 'packages', name, 'package.json');
    if (existsSync(manifest)) hash.update(readFileSync(manifest));
  }
  return hash.digest('hex');
};

const installed = () =>
  existsSync(node) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted();

const install = () => {
  try {
    accessSync(root, file.W_OK);
  } catch {
    process.stderr.write(
      `hostwright: ${root} is not installed yet and not writable; run this once as its owner\n`,
    );
    process.exit(8);
  }
  process.stderr.write('hostwright: installing dependencies (once; about a minute)\n');
  // npm itself runs on the system's Node, so its engine warnings say nothing about ours.
  // Not `npm ci`: it refuses the lock file wherever a registry lacks some other platform's binary.
  const npm = spawnSync(
    'npm',
    ['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, NODE_ENV: 'development' },
    },
  );
  if (npm.status !== 0) {
    process.stderr.write('hostwright: npm install failed; the lines above say why\n');
    process.exit(1);
  }
  writeFileSync(stamp, wanted());
};

const program = programs[process.argv[2]];
if (program === undefined) {
  process.stderr.write(`usage: bootstrap.mjs ${Object.keys(programs).join(' | ')} [arguments]\n`);
  process.exit(2);
}
if (!installed()) install();

const child = spawn(node, [join(root, program[0]), ...program.slice(1), ...process.argv.slice(3)], {
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: join(root, 'node_modules/.bin') + delimiter + (process.env.PATH ?? ''),
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
