/** A server on a database of its own, with one caller of each role. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { osInstallTransition } from '@hostwright/boot';
import { createToken, createUser, type AccessRole } from '@hostwright/engine';
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import type { InjectOptions } from 'fastify';
import { pino } from 'pino';
import {
  createServer,
  type Server,
  type ServerConfig,
  type ServerPlugin,
} from '@hostwright/server';

export interface World extends Server {
  readonly database: TestDatabase;
  readonly dataDir: string;
  readonly tokens: Readonly<Record<AccessRole, string>>;
  /** As that role; JSON in, JSON out. */
  readonly ask: (role: AccessRole | undefined, request: Request) => Promise<Reply>;
  stop(): Promise<void>;
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any;
  readonly text: string;
}

export const createWorld = async (
  config: Partial<ServerConfig> = {},
  plugins: readonly ServerPlugin[] = [],
): Promise<World> => {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'hostwright-server-'));
  const server = await createServer({
    database,
    config: { dataDir, tls: 'off', checkAnswers: true, ...config },
    plugins,
    log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }),
  });
  const tokens: Record<string, string> = {};
  for (const role of ['viewer', 'operator', 'admin'] as const) {
    const user = await createUser(database.db, { name: role, role });
    const made = await createToken(database.db, { kind: 'api', name: role, userId: user.id });
    tokens[role] = made.secret;
  }
  const ask = async (role: AccessRole | undefined, request: Request): Promise<Reply> => {
    const options: InjectOptions = {
      method: request.method ?? 'GET',
      url: `/api/v2${request.url}`,
      headers: {
        ...(role === undefined ? {} : { authorization: `Bearer ${tokens[role]}` }),
        ...request.headers,
      },
    };
    if (request.body !== undefined) {
      options.payload =
        typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
      options.headers = { 'content-type': 'application/json', ...options.headers };
    }
    const answer = await server.app.inject(options);
    const isJson = (answer.headers['content-type'] ?? '').includes('json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      json: isJson && answer.body !== '' ? answer.json() : undefined,
    };
  };
  return {
    ...server,
    database,
    dataDir,
    // the loop above filled every role
    tokens: tokens as World['tokens'],
    ask,
    stop: async () => {
      await server.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

/** Installs and erases as on a machine, whose restarts are only counted. */
export const createInstalling = (database: TestDatabase, onRestart: () => void) =>
  osInstallTransition({
    database,
    restart: async () => {
      onRestart();
      return { ok: true, how: 'test', notes: [] };
    },
  });
