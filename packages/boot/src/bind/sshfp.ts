/** SSHFP records (RFC 4255, 6594, 7479) of host keys as OpenSSH writes them. Pure. */
import { createHash } from 'node:crypto';

const ALGORITHMS: Readonly<Record<string, number>> = {
  'ssh-rsa': 1,
  'ecdsa-sha2-nistp256': 3,
  'ecdsa-sha2-nistp384': 3,
  'ecdsa-sha2-nistp521': 3,
  'ssh-ed25519': 4,
};
const SHA256 = 2;

/** Null if it is no host key: what a machine says of itself goes no further than this. */
export const sshfpOf = (key: string): string | null => {
  const [kind = '', body = ''] = key.trim().split(/\s+/);
  const algorithm = ALGORITHMS[kind];
  if (algorithm === undefined || !/^[A-Za-z0-9+/]{40,4000}={0,2}$/.test(body)) return null;
  const bytes = Buffer.from(body, 'base64');
  // the key says its kind itself; another one would be a lie
  if (bytes.length < 4 || bytes.toString('latin1', 4, 4 + bytes.readUInt32BE(0)) !== kind)
    return null;
  return `${algorithm} ${SHA256} ${createHash('sha256').update(bytes).digest('hex')}`;
};
