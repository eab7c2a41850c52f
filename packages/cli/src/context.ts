/**
 * Which server the commands talk to, and with which token. `up` leaves `context.json` in its data
 * folder; `login` keeps others in the user's configuration. Both are readable by their owner only.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { dataDir } from './data-dir.ts';
import { Failure } from './failure.ts';
import type { Invocation } from './invocation.ts';

export interface Context {
  readonly url: string;
  readonly token: string;
  /** PEM of the server's CA, if the system does not trust it anyway. */
  readonly ca?: string;
}

export interface Contexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asContext = (value: unknown): Context | undefined => {
  if (!isRecord(value) || typeof value['url'] !== 'string' || typeof value['token'] !== 'string')
    return undefined;
  const ca = value['ca'];
  return { url: value['url'], token: value['token'], ...(typeof ca === 'string' && { ca }) };
};

const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    if (error instanceof SyntaxError)
      throw new Failure('failed', `${file} is damaged`, { advice: 'delete it and sign in again' });
    if (error instanceof Error && 'code' in error && error.code === 'EACCES')
      throw new Failure('forbidden', `${file} is not readable for this user`, {
        advice: 'run this as the user who ran `hostwright up`, or use `hostwright login`',
      });
    throw error;
  }
};

/** Never readable by others, not even for the moment between writing and chmod. */
const writeSecretJson = (file: string, value: unknown): void => {
  mkdirSync(dirname(file), { recursive: true });
  const half = `${file}.${process.pid}`;
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  chmodSync(half, 0o600);
  renameSync(half, file);
};

const contextsFile = (): string => {
  const xdg = process.env['XDG_CONFIG_HOME'];
  const base = xdg?.startsWith('/') ? xdg : join(homedir(), '.config');
  return join(base, 'hostwright', 'contexts.json');
};

export const readContexts = (): Contexts => {
  const value = readJson(contextsFile());
  if (!isRecord(value) || !isRecord(value['contexts'])) return { current: null, contexts: {} };
  const contexts = Object.fromEntries(
    Object.entries(value['contexts']).flatMap(([name, entry]) => {
      const context = asContext(entry);
      return context === undefined ? [] : [[name, context] as const];
    }),
  );
  const current = value['current'];
  return { current: typeof current === 'string' ? current : null, contexts };
};

export const writeContexts = (contexts: Contexts): void =>
  writeSecretJson(contextsFile(), contexts);

const localContextFile = (folder: string): string => join(folder, 'context.json');
export const writeLocalContext = (folder: string, context: Context): void =>
  writeSecretJson(localContextFile(folder), context);

export const readLocalContext = (folder: string): Context | undefined =>
  asContext(readJson(localContextFile(folder)));

/** In this order: options and environment, a named context, the data folder, the context in use. */
export const findContext = (call: Invocation): Context => {
  const url = call.text('url') ?? process.env['HOSTWRIGHT_URL'];
  const token = call.text('token') ?? process.env['HOSTWRIGHT_TOKEN'];
  const caFile = process.env['HOSTWRIGHT_CA'];
  const named = call.text('context');
  const remembered = readContexts();
  const folder = dataDir(call.text('data-dir'));
  const found =
    named !== undefined
      ? remembered.contexts[named]
      : call.text('data-dir') !== undefined || process.env['HOSTWRIGHT_DATA_DIR'] !== undefined
        ? readLocalContext(folder)
        : (remembered.contexts[remembered.current ?? ''] ?? readLocalContext(folder));
  if (named !== undefined && found === undefined)
    throw new Failure('unreachable', `there is no context ${named}`, {
      advice: '`hostwright context list` shows those there are',
    });
  if (url === undefined && found === undefined)
    throw new Failure('unreachable', 'no server is known here', {
      advice: 'start one with `hostwright up`, or sign in to one with `hostwright login URL`',
    });
  const ca = caFile !== undefined && caFile !== '' ? readFileSync(caFile, 'utf8') : found?.ca;
  const context = { url: url ?? found?.url ?? '', token: token ?? found?.token ?? '' };
  return { ...context, ...(ca !== undefined && { ca }) };
};
