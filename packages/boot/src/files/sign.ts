/**
 * Signed checksums, in the format of minisign (Ed25519 over BLAKE2b), so that anybody can check a
 * mirror of our boot files with Debian's own tool. The key belongs to the installation: it is derived
 * from the master key, so every server and worker has the same one and there is no file to lose.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import type { MasterKey } from '@hostwright/engine';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
/** "Ed" in a public key; "ED" in a signature of the hash of a file. */
const KEY_KIND = Buffer.from('Ed');
const SIGNATURE_KIND = Buffer.from('ED');

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly id: Buffer;
  /** The two lines of a minisign public key file. */
  readonly publicText: string;
}

const rawPublic = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(SPKI.length);

export const signingKey = (master: MasterKey): SigningKey => {
  const seed = Buffer.from(hkdfSync('sha256', master.key, '', 'hostwright boot files', 32));
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const raw = rawPublic(privateKey);
  const id = createHash('sha256').update(raw).digest().subarray(0, 8);
  const text = Buffer.concat([KEY_KIND, id, raw]).toString('base64');
  const name = id.readBigUInt64LE().toString(16).toUpperCase().padStart(16, '0');
  return {
    privateKey,
    id,
    publicText: `untrusted comment: Hostwright boot files, minisign public key ${name}\n${text}\n`,
  };
};

const digest = (content: string | Buffer): Buffer =>
  createHash('blake2b512').update(content).digest();

export const signText = (key: SigningKey, content: string, comment: string): string => {
  const signature = sign(null, digest(content), key.privateKey);
  const all = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key.privateKey);
  return [
    'untrusted comment: signature of a Hostwright installation',
    Buffer.concat([SIGNATURE_KIND, key.id, signature]).toString('base64'),
    `trusted comment: ${comment}`,
    all.toString('base64'),
    '',
  ].join('\n');
};

export const verifyText = (publicText: string, content: string, signed: string): boolean => {
  const key = Buffer.from(publicText.split('\n')[1] ?? '', 'base64');
  const [, main = '', trusted = '', last = ''] = signed.split('\n');
  const signature = Buffer.from(main, 'base64');
  const comment = trusted.replace(/^trusted comment: /, '');
  if (key.length !== 42 || signature.length !== 74) return false;
  if (!signature.subarray(0, 2).equals(SIGNATURE_KIND)) return false;
  if (!signature.subarray(2, 10).equals(key.subarray(2, 10))) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI, key.subarray(10)]),
    format: 'der',
    type: 'spki',
  });
  const bytes = signature.subarray(10);
  return (
    verify(null, digest(content), publicKey, bytes) &&
    verify(
      null,
      Buffer.concat([bytes, Buffer.from(comment)]),
      publicKey,
      Buffer.from(last, 'base64'),
    )
  );
};
