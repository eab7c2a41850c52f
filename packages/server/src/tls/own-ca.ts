/**
 * Hostwright's own certificate authority. Made once, kept in the data folder, readable by the
 * owner only. Machines trust it by its fingerprint, so it must never be made anew while it is good.
 */
import { createHash, X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import {
  mkdirSync,
  openSync,
  closeSync,
  writeSync,
  fsyncSync,
  readFileSync,
  renameSync,
  linkSync,
  unlinkSync,
} from 'node:fs';
import { join } from 'node:path';
// The x509 library needs it to be there first.
// oxlint-disable-next-line import/no-unassigned-import
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR_MS = 365 * 24 * 3600 * 1000;

const crypto: Crypto = webcrypto;

export interface OwnCa {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** SHA-256 of the certificate's DER, lower-case hex: what the join command carries. */
  readonly fingerprint: string;
}

export interface Pair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

const exportKey = async (key: CryptoKey): Promise<string> =>
  x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');

const importKey = (pem: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(pem), ALGORITHM, false, ['sign']);

const serial = (): string =>
  Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex');

export const fingerprintOf = (pem: string): string =>
  createHash('sha256').update(new NodeCertificate(pem).raw).digest('hex');

/** Whole or not at all, and never over a file that is there: two servers may start at once. */
export const writePrivate = (
  path: string,
  text: string,
  options: { readonly replace: boolean },
): void => {
  const draft = `${path}.${process.pid}.${serial().slice(0, 8)}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (options.replace) {
    renameSync(draft, path);
    return;
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
};

/** Undefined: there is no such file, or it does not hold both. */
export const readPair = (path: string): Pair | undefined => {
  try {
    const text = readFileSync(path, 'utf8');
    const certificatePem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(
      text,
    )?.[0];
    const keyPem = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/.exec(text)?.[0];
    return certificatePem === undefined || keyPem === undefined
      ? undefined
      : { certificatePem, keyPem };
  } catch {
    return undefined;
  }
};

/** Both in one file: there is no moment at which one is there without the other. */
export const writePair = (path: string, pair: Pair, options: { readonly replace: boolean }): void =>
  writePrivate(path, `${pair.certificatePem}\n${pair.keyPem}\n`, options);

const makeCa = async (now: Date): Promise<Pair> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      serialNumber: serial(),
      name: 'CN=Hostwright CA',
      notBefore: new Date(now.getTime() - 24 * 3600 * 1000),
      notAfter: new Date(now.getTime() + 20 * YEAR_MS),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, crypto),
      ],
    },
    crypto,
  );
  return { certificatePem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
};

/** Reads the CA of this data folder; makes it on the first start. */
export const openOwnCa = async (dataDir: string, now = new Date()): Promise<OwnCa> => {
  const folder = join(dataDir, 'tls');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'ca.pem');
  if (readPair(path) === undefined) writePair(path, await makeCa(now), { replace: false });
  const pair = readPair(path);
  if (pair === undefined)
    throw new Error(
      `${path} does not hold a certificate and a key: bring it back from a backup, or remove it and join every machine again`,
    );
  return { ...pair, fingerprint: fingerprintOf(pair.certificatePem) };
};

const DAYS_MS = 24 * 3600 * 1000;
const LIFETIME_MS = 397 * DAYS_MS;

export const issueServerCertificate = async (
  ca: OwnCa,
  wanted: { readonly names: readonly string[]; readonly now?: Date },
): Promise<Pair> => {
  const now = wanted.now ?? new Date();
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const isAddress = (name: string) => /^[\d.]+$|:/.test(name);
  const issuer = new x509.X509Certificate(ca.certificatePem);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      serialNumber: serial(),
      subject: 'CN=Hostwright',
      issuer: issuer.subject,
      notBefore: new Date(now.getTime() - DAYS_MS),
      notAfter: new Date(now.getTime() + LIFETIME_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: await importKey(ca.keyPem),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(
          wanted.names.map((name) => ({ type: isAddress(name) ? 'ip' : 'dns', value: name })),
        ),
        await x509.AuthorityKeyIdentifierExtension.create(issuer, false, crypto),
      ],
    },
    crypto,
  );
  return { certificatePem: certificate.toString('pem'), keyPem: await exportKey(keys.privateKey) };
};
