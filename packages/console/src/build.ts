/** Builds the console into `dist` when its sources are newer than what is there. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
export const consoleFolder = join(root, 'dist');

const newest = (path: string): number =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs;

export const consoleIsBuilt = (): boolean => {
  const built = join(consoleFolder, 'index.html');
  if (!existsSync(built)) return false;
  const sources = ['src', 'public', 'index.html', 'vite.config.ts', 'package.json'];
  const contract = fileURLToPath(new URL('../../api/src', import.meta.url));
  const changed = Math.max(newest(contract), ...sources.map((name) => newest(join(root, name))));
  return statSync(built).mtimeMs >= changed;
};

export const buildConsole = async (): Promise<string> => {
  if (!consoleIsBuilt()) {
    const { build } = await import('vite');
    await build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' });
  }
  return consoleFolder;
};
