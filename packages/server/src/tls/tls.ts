/** The certificate a server shows: from the own CA, renewed before it ends, or from given files. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { ServerConfig, TlsFiles } from '../config.ts';
import {
  fingerprintOf,
  issueServerCertificate,
  openOwnCa,
  readPair,
  writePair,
  type OwnCa,
  type Pair,
} from './own-ca.ts';

export interface Tls extends Pair {
  /** What clients must trust; null where the given certificate is one that everybody trusts. */
  readonly caPem: string | null;
  readonly caFingerprint: string | null;
  readonly notAfter: Date;
}

const RENEW_BEFORE_MS = 30 * 24 * 3600 * 1000;

/** Every name and address this machine is known by. */
export const ownNames = (extra: readonly string[] = []): string[] => {
  const addresses = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    // link-local ones carry a zone, which a certificate cannot hold
    .filter((entry) => !entry.address.startsWith('fe80'))
    .map((entry) => entry.address);
  const host = hostname().toLowerCase();
  const plain = /^[a-z0-9]([a-z0-9.-]{0,253}[a-z0-9])?$/.test(host) ? [host] : [];
  return [...new Set([...extra, 'localhost', ...plain, '127.0.0.1', '::1', ...addresses])];
};

const namesOf = (pem: string): Set<string> =>
  new Set(
    (new X509Certificate(pem).subjectAltName ?? '')
      .split(', ')
      .map((part) => part.replace(/^(DNS|IP Address):/, '').toLowerCase()),
  );

const normal = (name: string): string =>
  name.includes(':') ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name.toLowerCase();

const stillGood = (
  pem: string,
  ca: OwnCa,
  wanted: { names: readonly string[]; now: Date },
): boolean => {
  const certificate = new X509Certificate(pem);
  const ends = new Date(certificate.validTo).getTime();
  const has = new Set([...namesOf(pem)].map(normal));
  return (
    ends - wanted.now.getTime() > RENEW_BEFORE_MS &&
    certificate.verify(new X509Certificate(ca.certificatePem).publicKey) &&
    wanted.names.every((name) => has.has(normal(name)))
  );
};

const describe = (pair: Pair, caPem: string | null): Tls => ({
  ...pair,
  caPem,
  caFingerprint: caPem === null ? null : fingerprintOf(caPem),
  notAfter: new Date(new X509Certificate(pair.certificatePem).validTo),
});

const fromFiles = (files: TlsFiles): Tls =>
  describe(
    {
      certificatePem: readFileSync(files.certificate, 'utf8'),
      keyPem: readFileSync(files.key, 'utf8'),
    },
    files.ca === undefined ? null : readFileSync(files.ca, 'utf8'),
  );

const fromOwnCa = async (config: ServerConfig, now: Date): Promise<Tls> => {
  const ca = await openOwnCa(config.dataDir, now);
  const names = ownNames(config.names);
  const path = join(config.dataDir, 'tls', 'server.pem');
  const kept = readPair(path);
  try {
    if (kept !== undefined && stillGood(kept.certificatePem, ca, { names, now }))
      return describe(kept, ca.certificatePem);
  } catch {
    // damaged: a new one is issued
  }
  const pair = await issueServerCertificate(ca, { names, now });
  writePair(path, pair, { replace: true });
  return describe(pair, ca.certificatePem);
};

/** Also called daily by a running server: the same, or a renewed one. */
export const openTls = async (config: ServerConfig, now = new Date()): Promise<Tls | undefined> => {
  const wish = config.tls ?? 'own';
  if (wish === 'off') return undefined;
  return wish === 'own' ? fromOwnCa(config, now) : fromFiles(wish);
};
