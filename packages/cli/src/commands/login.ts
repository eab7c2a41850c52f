/** Remembers a server. Its CA is trusted by fingerprint, never blindly. */
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { session_get } from '@hostwright/api/nouns/session';
import { clientOf } from '../connect.ts';
import { readContexts, writeContexts } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { readStdin } from '../read-input.ts';
import { systemCode } from '../report.ts';

const UNKNOWN_CERTIFICATE = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);

const plain = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();

/** Unverified on purpose: what comes back is compared with a fingerprint before it is used. */
const fetchCa = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = request(
      new URL('/agent/v1/ca.pem', url),
      { rejectUnauthorized: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.once('error', reject);
        answer.once('end', () => resolve(Buffer.concat(parts).toString('utf8')));
      },
    );
    sent.once('error', reject);
    sent.setTimeout(10_000, () => sent.destroy(new Error('no answer')));
    sent.end();
  });

const fingerprintOf = (pem: string): string => {
  try {
    return createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');
  } catch {
    throw new Failure('unreachable', 'what answers there is no Hostwright server');
  }
};

const trustedCa = async (call: Invocation, url: string): Promise<string | undefined> => {
  const file = call.text('ca-file');
  if (file !== undefined) return readFileSync(file, 'utf8');
  if (!url.startsWith('https:')) return undefined;
  const given = call.text('fingerprint');
  if (given === undefined) return undefined;
  const pem = await fetchCa(url);
  if (fingerprintOf(pem) !== plain(given))
    throw new Failure(
      'forbidden',
      `the CA of ${url} has another fingerprint: ${fingerprintOf(pem)}`,
      {
        advice: 'somebody may be in between; ask the admin for the right one',
      },
    );
  return pem;
};

export const run = async (call: Invocation): Promise<void> => {
  const url = call.arg('address').replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new Failure('usage', `${url} is no address`, {
      advice: 'give one like https://host:4680',
    });
  const ca = await trustedCa(call, url);
  const given = call.text('token') ?? process.env['HOSTWRIGHT_TOKEN'];
  if (given === undefined && process.stdin.isTTY) call.out.note('API token (then Ctrl-D):');
  const token = given ?? (await readStdin()).trim();
  const context = { url, token, ...(ca !== undefined && { ca }) };
  const me = await clientOf(context)
    .call(session_get)
    .catch((error: unknown) => {
      if (UNKNOWN_CERTIFICATE.has(systemCode(error) ?? ''))
        throw new Failure('forbidden', `the certificate of ${url} is not known here`, {
          advice:
            'give the fingerprint of its CA with --fingerprint (`hostwright status --json` shows it)',
        });
      throw error;
    });
  const name = call.text('name') ?? new URL(url).hostname;
  const known = readContexts();
  writeContexts({ current: name, contexts: { ...known.contexts, [name]: context } });
  call.out.answer({ context: name, user: me.name, role: me.role }, () =>
    call.out.line(`signed in to ${url} as ${me.name} (${me.role}); it is context ${name}`),
  );
};
