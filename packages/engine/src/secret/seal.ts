/**
 * AES-256-GCM with a key of 32 bytes. The secret's name is bound in, so that a sealed value moved
 * to another row does not open. Layout: version (1), key id (4), nonce (12), tag (16), text.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { HostwrightError } from '@hostwright/core';

const VERSION = 1;
const HEAD = 1 + 4 + 12 + 16;

export interface MasterKey {
  readonly key: Buffer;
  /** First bytes of a hash: says which key sealed a value, gives nothing of the key away. */
  readonly id: Buffer;
}

export const masterKey = (bytes: Uint8Array): MasterKey => {
  if (bytes.length !== 32)
    throw new HostwrightError('bad_input', { message: 'a master key has exactly 32 bytes' });
  const key = Buffer.from(bytes);
  return {
    key,
    id: createHash('sha256').update('hostwright key id').update(key).digest().subarray(0, 4),
  };
};

export const seal = (master: MasterKey, name: string, value: string): Buffer => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', master.key, nonce);
  cipher.setAAD(Buffer.from(name));
  const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), master.id, nonce, cipher.getAuthTag(), text]);
};

export const isSealedBy = (master: MasterKey, sealed: Buffer): boolean =>
  sealed.subarray(1, 5).equals(master.id);

export const unseal = (master: MasterKey, name: string, sealed: Buffer): string => {
  if (sealed.length < HEAD || sealed[0] !== VERSION || !isSealedBy(master, sealed))
    throw new HostwrightError('unavailable', {
      message: `the secret ${name} was sealed with another master key`,
    });
  const decipher = createDecipheriv('aes-256-gcm', master.key, sealed.subarray(5, 17));
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(sealed.subarray(17, HEAD));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD)), decipher.final()]).toString();
  } catch (cause) {
    throw new HostwrightError('internal', { message: `the secret ${name} is damaged`, cause });
  }
};
