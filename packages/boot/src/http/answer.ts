/**
 * The boot endpoint: request in, answer out; it knows no web framework. Loaders and installers read
 * plain text, so errors are one line. Tokens stand in paths because loaders can send no headers:
 * whoever logs these requests must log `logPath`, never the path.
 */
import { readFile } from 'node:fs/promises';
import { HostwrightError } from '@hostwright/core';
import { transaction } from '@hostwright/engine';
import { reportRescueUp } from '../boot/answer-rescue.ts';
import { answerScript } from '../boot/answer-script.ts';
import { answerSeed, issueJoinToken } from '../boot/answer-seed.ts';
import type { BootDeps } from '../boot/deps.ts';
import { readIdentity } from '../boot/read-request.ts';
import { answerFile } from '../files/serve.ts';
import { answerMirror } from '../mirror/answer-mirror.ts';
import {
  grantWipe,
  issueOsToken,
  readInstall,
  reportInstallFailed,
  reportInstallFinished,
  reportInstallLog,
  reportSystemUp,
} from '../install/callbacks.ts';
import { markOfRun } from '../install/mark.ts';
import { PHASE_SECONDS } from '../install/phase.ts';
import { writePlanLines } from '../install/plan.ts';
import { renderTemplateFile } from '../template/render-file.ts';

export interface BootHttpRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface BootHttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body:
    | string
    | Buffer
    | { readonly path: string; readonly start: number; readonly end: number };
}

/** The path with its tokens cut out. */
export const logPath = (url: string): string =>
  (url.split('?')[0] ?? '').replace(/[A-Za-z0-9_-]{43}/g, '…');

const text = (
  body: string | Buffer,
  status = 200,
  type = 'text/plain; charset=utf-8',
): BootHttpAnswer => ({
  status,
  headers: {
    'content-type': type,
    'cache-control': 'no-store',
    'content-length': String(Buffer.byteLength(body)),
  },
  body,
});

const header = (request: BootHttpRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

const field = (body: string, name: string): string => {
  const line = body.split(/[\n&]/).find((part) => part.startsWith(`${name}=`));
  return (line ?? '').slice(name.length + 1).trim();
};

/** The same for every installation. */
const FIXED: Readonly<Record<string, string>> = {
  'install.sh': '../../os/image/install.sh',
  'image.sh': '../../os/image/image.sh',
  'loader.sh': '../../os/image/loader.sh',
  'first-boot.sh': '../../first-boot/first-boot.sh',
  'agent.service': '../../first-boot/agent.service',
  'choose-disks.sh': '../../installer/choose-disks.sh',
  'boot-order.sh': '../../installer/boot-order.sh',
};

const installFile = async (deps: BootDeps, token: string, file: string): Promise<string> =>
  transaction(deps.database.db, async (tx) => {
    const install = await readInstall(tx, token);
    const erases = install.plan.kind === 'erase' && file === 'install.sh';
    const fixed = erases ? '../../erase/erase.sh' : FIXED[file];
    if (fixed !== undefined) return readFile(new URL(fixed, import.meta.url), 'utf8');
    if (file === 'ca.pem') return deps.caPem;
    if (file === 'agent') return deps.agentScript();
    if (file === 'mark') return (await markOfRun(tx, install.runId)) ?? '';
    if (file === 'plan') return writePlanLines(install.plan, deps.bootUrl);
    if (file === 'keys') return install.plan.sshKeys.map((key) => `${key}\n`).join('');
    if (file === 'firstboot') {
      // what the installed system needs: once, for this node
      const up = await issueOsToken(tx, install);
      const join = await issueJoinToken(tx, {
        name: `install run ${install.runId}`,
        intentId: install.intentId,
        seconds: PHASE_SECONDS.installing + PHASE_SECONDS.restart,
      });
      return `url=${deps.serverUrl}\nboot_url=${deps.bootUrl}\njoin=${join}\nup=${up}\n`;
    }
    return renderTemplateFile(tx, { install, file, deps, token });
  });

const MOST_DISKS = 64;

const installPost = async (
  deps: BootDeps,
  token: string,
  verb: string,
  body: string,
): Promise<BootHttpAnswer> => {
  switch (verb) {
    case 'log':
      await reportInstallLog(deps, token, body);
      return text('ok\n');
    case 'wipe': {
      const claim = (suffix: string) => ({
        serial: field(body, `serial${suffix}`),
        bytes: Number(field(body, `bytes${suffix}`)),
      });
      const more: ReturnType<typeof claim>[] = [];
      for (let at = 2; at <= MOST_DISKS && field(body, `bytes${at}`) !== ''; at++)
        more.push(claim(String(at)));
      const granted = await grantWipe(deps, token, [claim(''), ...more]);
      return granted ? text('granted\n') : text('refused\n', 409);
    }
    case 'wipe-by-serial': {
      // installers of distributions know the disk by its serial only
      const granted = await grantWipe(deps, token, [{ serial: field(body, 'serial') }]);
      return granted ? text('granted\n') : text('refused\n', 409);
    }
    case 'failed':
      await reportInstallFailed(deps, token, field(body, 'reason'));
      return text('ok\n');
    case 'finished':
      await reportInstallFinished(deps, token);
      return text('ok\n');
    default:
      return text('there is no such call\n', 404);
  }
};

/** The wget of Debian's installer cannot POST: it says the same in the query. */
const TOLD_BY_GET = new Set(['log', 'wipe', 'wipe-by-serial', 'failed', 'finished']);

const get = async (deps: BootDeps, request: BootHttpRequest, url: URL): Promise<BootHttpAnswer> => {
  const [, , , what = '', one = '', two = ''] = url.pathname.split('/');
  switch (what) {
    case 'ipxe':
      return text(await answerScript(deps, readIdentity(url.searchParams), 'ipxe'));
    case 'grub': {
      const query = new URLSearchParams(url.searchParams);
      if (one !== '') query.set('mac', one);
      if (two !== '' && two !== 'grub.cfg') query.set('uuid', two);
      query.set('platform', 'efi');
      return text(await answerScript(deps, readIdentity(query), 'grub'));
    }
    case 'seed':
      return text(await answerSeed(deps, one), 200, 'application/octet-stream');
    case 'install':
      return request.method === 'GET' && TOLD_BY_GET.has(two) && url.search !== ''
        ? installPost(deps, one, two, url.search.slice(1).replaceAll('+', ' '))
        : text(await installFile(deps, one, two));
    case 'mirror': {
      const range = header(request, 'range');
      const [, name = '', path = ''] =
        /^\/boot\/v1\/mirror\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
      const answer = await answerMirror(deps, {
        name,
        path,
        ...(range !== undefined && { range }),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: request.method === 'HEAD' || answer.file === null ? '' : answer.file,
      };
    }
    case 'files': {
      const range = header(request, 'range');
      const ifNoneMatch = header(request, 'if-none-match');
      const answer = await answerFile(deps.database.db, deps.files, {
        path: url.pathname.slice('/boot/v1/files/'.length),
        ...(range !== undefined && { range }),
        ...(ifNoneMatch !== undefined && { ifNoneMatch }),
      });
      return {
        status: answer.status,
        headers: answer.headers,
        body: request.method === 'HEAD' || answer.file === null ? '' : answer.file,
      };
    }
    default:
      return text('there is no such path\n', 404);
  }
};

const MAX_URL = 2048;

export const answerBootRequest = async (
  deps: BootDeps,
  request: BootHttpRequest,
): Promise<BootHttpAnswer> => {
  try {
    const url = URL.parse(request.url.slice(0, MAX_URL), 'http://boot');
    if (url === null || request.url.length > MAX_URL || !url.pathname.startsWith('/boot/v1/'))
      return text('there is no such path\n', 404);
    const [, , , what = '', one = '', two = ''] = url.pathname.split('/');
    // to look at a seed or a script is to use it: only files may be looked at
    if (request.method === 'HEAD' && what !== 'files' && what !== 'mirror')
      return text('GET or POST\n', 405);
    if (request.method === 'GET' || request.method === 'HEAD') return await get(deps, request, url);
    if (request.method !== 'POST') return text('GET or POST\n', 405);
    if (what === 'install') return await installPost(deps, one, two, request.body);
    if (what === 'rescue') {
      await reportRescueUp(deps, one, {
        addresses: field(request.body, 'addresses'),
        fingerprint: field(request.body, 'fingerprint'),
      });
      return text('ok\n');
    }
    if (what === 'up') {
      const bootId = field(request.body, 'boot_id');
      if (!/^[0-9a-f-]{36}$/.test(bootId)) return text('boot_id is missing\n', 400);
      await reportSystemUp(deps, one, bootId);
      return text('ok\n');
    }
    return text('there is no such path\n', 404);
  } catch (error) {
    if (error instanceof HostwrightError) return text(`${error.message}\n`, error.status);
    deps.log.warn({ err: error, path: logPath(request.url) }, 'boot request failed');
    return text('something went wrong inside Hostwright\n', 500);
  }
};
