/**
 * Answers the console with a recording, so that a benchmark measures the browser and not the
 * database: the fleet, one matrix, and events at a given rate. Serves the built console under the
 * same content policy as the server.
 */
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';
import { NODEROLE_STATES, type NoderoleState } from '@hostwright/core/noderole/state';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const NEXT: Readonly<Record<string, NoderoleState>> = {
  todo: 'transition',
  transition: 'active',
  active: 'todo',
  blocked: 'todo',
  error: 'todo',
};

export interface Recording {
  readonly nodes: number;
  readonly roles: number;
  readonly matrixNodes: number;
}

interface World {
  readonly state: Uint8Array;
  readonly rolesPerNode: number;
}

const me = {
  userId: 1,
  name: 'bench',
  role: 'admin',
  grants: [],
  via: 'session',
  csrf: 'x',
  expiresAt: null,
};
const deployments = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    name: at === 0 ? 'system' : `site-${String.fromCharCode(96 + at)}`,
    parentId: at === 0 ? null : 1,
  }));

/** A fixed mixture of states, the same on every run. */
const mixture = (at: number): number => {
  const turn = (at * 7919) % 1000;
  if (turn < 12) return 5;
  if (turn < 40) return 1;
  if (turn < 90) return 2;
  if (turn < 130) return 3;
  return 4;
};

const makeWorld = (recording: Recording): World => {
  const rolesPerNode = 5;
  const state = new Uint8Array(recording.nodes * rolesPerNode);
  for (let at = 0; at < state.length; at += 1) state[at] = mixture(at);
  return { state, rolesPerNode };
};

const nodeName = (at: number) =>
  `r${String(Math.floor(at / 40) + 1).padStart(3, '0')}-u${String((at % 40) + 1).padStart(2, '0')}`;

const fleetOf = (recording: Recording, world: World) => {
  const list = deployments(9);
  const range = Array.from({ length: recording.nodes }, (_, at) => at);
  const racks = Math.ceil(recording.nodes / 40);
  const isNew = (at: number) => at % 97 === 0;
  return {
    position: '1.1',
    count: recording.nodes,
    rollups: [],
    deployments: list,
    ids: range.map((at) => at + 1),
    names: range.map(nodeName),
    rollup: range.map(() => 0),
    bits: range.map((at) => (at % 211 === 5 ? 2 : 3)),
    deployment: range.map((at) => 1 + (Math.floor(at / 40) % 8)),
    active: range.map(() => 0),
    total: range.map(() => world.rolesPerNode),
    counts: range.flatMap((at) => {
      const counts = [0, 0, 0, 0, 0, 0];
      if (isNew(at)) return [0, 0, 0, 0, 2, 0];
      for (let role = 0; role < world.rolesPerNode; role += 1) {
        const state = world.state[at * world.rolesPerNode + role] ?? 0;
        counts[state] = (counts[state] ?? 0) + 1;
      }
      return counts;
    }),
    work: range.map((at) => (isNew(at) ? 0 : world.rolesPerNode)),
    labels: {
      rack: {
        values: Array.from({ length: racks }, (_, at) => `rack-${at + 1}`),
        index: range.map((at) => Math.floor(at / 40)),
      },
      class: { values: ['compute', 'storage', 'gpu'], index: range.map((at) => at % 3) },
    },
  };
};

const matrixOf = (recording: Recording) => {
  const cells = recording.matrixNodes * recording.roles;
  const range = Array.from({ length: cells }, (_, at) => at);
  return {
    position: '1.1',
    states: NODEROLE_STATES,
    nodes: Array.from({ length: recording.matrixNodes }, (_, at) => ({
      id: at + 1,
      name: nodeName(at),
      alive: true,
      available: true,
      admin: false,
    })),
    roles: Array.from({ length: recording.roles }, (_, at) => ({
      id: at + 1,
      name: `role-number-${at + 1}`,
      milestone: at % 7 === 0,
      cohort: at,
      inDeployment: true,
    })),
    ids: range.map((at) => at + 1),
    node: range.map((at) => Math.floor(at / recording.roles)),
    role: range.map((at) => at % recording.roles),
    state: range.map(mixture),
    bits: range.map(() => 0),
  };
};

const deploymentOf = (recording: Recording) => ({
  id: 2,
  name: 'site-a',
  description: '',
  parentId: 1,
  depth: 1,
  system: false,
  paused: false,
  nodes: recording.matrixNodes,
  noderoles: { proposed: 0, blocked: 100, todo: 100, transition: 50, active: 5000, error: 20 },
  proposedSnapshotId: null,
  committedSnapshotId: 1,
  committedRevision: 1,
  revision: 1,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
});

export interface Replay {
  readonly url: string;
  /** Events per second from now on. */
  setRate(perSecond: number): void;
  readonly sent: () => number;
  stop(): Promise<void>;
}

const serveFile = (folder: string, path: string, response: ServerResponse): void => {
  const wanted = join(folder, normalize(path));
  const file =
    wanted.startsWith(folder) && extname(wanted) !== '' && existsSync(wanted)
      ? wanted
      : join(folder, 'index.html');
  response.writeHead(200, {
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
  });
  createReadStream(file).pipe(response);
};

export const startReplay = async (folder: string, recording: Recording): Promise<Replay> => {
  const world = makeWorld(recording);
  const answers = new Map<string, unknown>([
    ['/session', me],
    ['/fleet', fleetOf(recording, world)],
    [
      '/deployments',
      {
        items: [
          {
            ...deploymentOf(recording),
            id: 1,
            name: 'system',
            parentId: null,
            depth: 0,
            system: true,
          },
          deploymentOf(recording),
        ],
      },
    ],
    ['/deployments/site-a', deploymentOf(recording)],
    ['/deployments/site-a/matrix', matrixOf(recording)],
    ['/deployments/site-a/roles', { revision: 1, items: [] }],
    ['/deployments/site-a/snapshots', { items: [], next: null }],
    [
      '/deployments/site-a/why',
      {
        sentence: 'Replayed.',
        done: false,
        noderoles: deploymentOf(recording).noderoles,
        causes: [],
      },
    ],
    ['/roles', { items: [], next: null }],
  ]);
  const packed = new Map(
    [...answers].map(([path, answer]) => [path, gzipSync(JSON.stringify(answer))]),
  );
  const streams = new Set<ServerResponse>();
  let rate = 0;
  let sent = 0;
  let owed = 0;
  let last = performance.now();
  const writeEvent = (): string => {
    sent += 1;
    const cell = (sent * 7919) % world.state.length;
    const from = NODEROLE_STATES[world.state[cell] ?? 4] ?? 'active';
    const to = NEXT[from] ?? 'active';
    world.state[cell] = NODEROLE_STATES.indexOf(to);
    const node = Math.floor(cell / world.rolesPerNode) + 1;
    const event = {
      cursor: `2.${sent}`,
      id: sent,
      kind: 'noderole.state',
      at: '2026-01-01T00:00:00Z',
      deploymentId: 2,
      nodeId: node,
      noderoleId: ((sent * 104_729) % (recording.matrixNodes * recording.roles)) + 1,
      runId: null,
      payload: { from, to, role: 1, reason: '', cause: 'commit 4', revision: 2 },
    };
    return `id: 2.${sent}\nevent: noderole.state\ndata: ${JSON.stringify(event)}\n\n`;
  };
  const timer = setInterval(() => {
    // by the clock: a timer that comes late owes more
    owed += (rate * (performance.now() - last)) / 1000;
    last = performance.now();
    let text = '';
    for (; owed >= 1; owed -= 1) text += writeEvent();
    if (text !== '') for (const stream of streams) stream.write(text);
  }, 20);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    if (!path.startsWith('/api/v2')) {
      serveFile(folder, path, response);
      return;
    }
    if (path === '/api/v2/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      streams.add(response);
      request.on('close', () => streams.delete(response));
      return;
    }
    const body = packed.get(path.slice('/api/v2'.length));
    if (body === undefined) {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end(
        '{"code":"not_found","title":"not recorded","detail":"not recorded","status":404,"refusals":[],"retryable":false}',
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(body);
  };
  const server = createServer(answer);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    setRate: (perSecond) => {
      rate = perSecond;
    },
    sent: () => sent,
    stop: async () => {
      clearInterval(timer);
      for (const stream of streams) stream.end();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
};
