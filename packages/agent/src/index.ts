/**
 * The agent is shell, kept in parts and served as one file; nothing here runs on the machine.
 * `joinCommand` is what people paste: it pins the server's key, so that the script it fetches is
 * Hostwright's own.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

const read = (file: string): string => readFileSync(`${folder}${file}`, 'utf8');

const parts = readdirSync(`${folder}sh`)
  .toSorted()
  .map((file) => read(`sh/${file}`));

/** Changes with every change of the agent's text. */
export const AGENT_VERSION = `0.1.0+${createHash('sha256').update(parts.join('')).digest('hex').slice(0, 12)}`;

const agent = parts.join('\n').replace('@VERSION@', AGENT_VERSION);

export const agentScript = (): string => agent;

const join = read('join.sh');

/** `url` must have been checked: it goes into a script that root runs. */
export const joinScript = (options: { readonly url: string }): string =>
  join.replaceAll('@URL@', options.url);

/** SHA-256 of the certificate in hex, as `openssl x509 -fingerprint -sha256` without the colons. */
export const caFingerprint = (pem: string): string =>
  createHash('sha256').update(new X509Certificate(pem).raw).digest('hex');

/** For curl's --pinnedpubkey. */
const publicKeyPin = (pem: string): string => {
  const key = new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' });
  return `sha256//${createHash('sha256').update(key).digest('base64')}`;
};

export interface JoinCommandOptions {
  readonly url: string;
  readonly token: string;
  /** Absent: the server's certificate is one that machines trust by themselves. */
  readonly tls?: {
    readonly caPem: string;
    /** The server's own certificate: its key is pinned, so that even the script is the server's. */
    readonly certificatePem: string;
  };
}

/** One line for a root shell. */
export const joinCommand = ({ url, token, tls }: JoinCommandOptions): string =>
  tls === undefined
    ? `curl -fsS ${url}/join | sh -s -- --token ${token}`
    : `curl -fsSk --pinnedpubkey ${publicKeyPin(tls.certificatePem)} ${url}/join | ` +
      `sh -s -- --token ${token} --ca-fingerprint ${caFingerprint(tls.caPem)}`;
