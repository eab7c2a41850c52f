/** Passwords as scrypt hashes. At most two are computed at once: each takes 32 MB and 100 ms of a core. */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

const COST = { N: 2 ** 15, r: 8, p: 1 } as const;
const LENGTH = 32;

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(
      password.normalize('NFKC'),
      salt,
      LENGTH,
      { ...options, maxmem: 256 * 1024 * 1024 },
      (error, key) => (error === null ? resolve(key) : reject(error)),
    );
  });

let queue: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];

const inTurn = async <Value>(work: () => Promise<Value>): Promise<Value> => {
  const [first = Promise.resolve(), ...rest] = queue;
  const done = first.then(work);
  queue = [...rest, done.catch(() => {})];
  return done;
};

export const hashPassword = (password: string): Promise<string> =>
  inTurn(async () => {
    const salt = randomBytes(16);
    const key = await derive(password, salt, COST);
    return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join(
      '$',
    );
  });

// Compared against where there is no such user, so that both answers take as long.
const NOBODY = `scrypt$${COST.N}$${COST.r}$${COST.p}$AAAAAAAAAAAAAAAAAAAAAA==$${Buffer.alloc(LENGTH).toString('base64')}`;

export const checkPassword = (password: string, stored: string | null): Promise<boolean> =>
  inTurn(async () => {
    const [, N, r, p, salt = '', key = ''] = (stored ?? NOBODY).split('$');
    const wanted = Buffer.from(key, 'base64');
    const given = await derive(password, Buffer.from(salt, 'base64'), {
      N: Number(N),
      r: Number(r),
      p: Number(p),
    });
    return given.length === wanted.length && timingSafeEqual(given, wanted) && stored !== null;
  });
