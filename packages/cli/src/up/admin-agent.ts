/**
 * The agent of the machine that Hostwright itself runs on: the same shell script that every machine
 * gets, with its state inside the data folder, so that nothing is installed on the system.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeFetch } from '@hostwright/api/node-fetch';
import type { Database } from '@hostwright/engine';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { issueAdminToken } from './prepare.ts';
import type { ChildSpec } from './supervise.ts';

// ends the agent when this shell's standard input does: when its keeper is gone
const KEEPER = `
exec 3<&0
sh "$1" serve <&- 3<&- &
agent=$!
{ while read -r _ <&3; do :; done; kill -TERM $$; } &
watcher=$!
stop() {
  trap '' TERM INT HUP
  kill "$watcher" "$agent" 2>/dev/null
  wait "$agent"
  exit 0
}
trap stop TERM INT HUP
wait "$agent"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

const placeAgent = (options: {
  readonly folder: string;
  readonly url: string;
  readonly ca: string;
  readonly script: string;
  readonly node: { readonly id: number; readonly name: string };
  readonly token: string;
}): ChildSpec => {
  const state = join(options.folder, 'agent');
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const put = (name: string, text: string): void =>
    writeFileSync(join(state, name), text, { mode: 0o600 });
  put('agent.sh', options.script);
  put('ca.pem', options.ca);
  put('url', `${options.url}\n`);
  put('token', `${options.token}\n`);
  put('node', `${options.node.id}\n`);
  put('name', `${options.node.name}\n`);
  return {
    name: 'agent',
    program: '/bin/sh',
    args: ['-c', KEEPER, 'hostwright-agent', join(state, 'agent.sh')],
    env: { HOSTWRIGHT_STATE: state },
    logFile: join(options.folder, 'logs', 'agent.log'),
    readyWithinSeconds: 0,
  };
};

/** It needs a client that verifies certificates, and a Linux that tells its boot id. */
const canRunAgent = (): boolean =>
  existsSync('/proc/sys/kernel/random/boot_id') &&
  (process.env['PATH'] ?? '')
    .split(':')
    .some((folder) => existsSync(join(folder, 'curl')) || existsSync(join(folder, 'wget')));

export const NO_AGENT = 'the admin node has no agent: it needs curl or GNU wget';

/** What is to be kept running, with a token of its own; nothing where it cannot run. */
export const readyAdminAgent = async (options: {
  readonly folder: string;
  readonly context: Context;
  readonly database: Database;
  readonly node: { readonly id: number; readonly name: string };
}): Promise<ChildSpec | undefined> => {
  const { folder, node } = options;
  const { ca, url } = options.context;
  if (ca === undefined || !canRunAgent()) return undefined;
  const answer = await createNodeFetch({ ca })(`${url}/agent/v1/agent`);
  const script = await answer.text();
  if (!answer.ok)
    throw new Failure('failed', `the server did not give its agent: ${answer.status}`);
  const token = await issueAdminToken(options.database, node.id);
  return placeAgent({ folder, url, ca, script, node, token });
};
