/**
 * Which host key a machine may show. Pinned keys are in the hammer, whole (`ssh-ed25519 AAAA...`)
 * or as fingerprints (`SHA256:...`); another key is refused, always. Without any, the first one
 * seen is pinned if the operator allows that, else refused with its fingerprint.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '@hostwright/core';

export const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;

export const pinnedKeys = (config: JsonObject): readonly string[] => {
  const keys = config['hostKeys'];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
};

const matches = (pinned: string, key: Buffer): boolean =>
  pinned.startsWith('SHA256:')
    ? pinned.replace(/=+$/, '') === fingerprintOf(key)
    : Buffer.from(pinned.split(/\s+/)[1] ?? '', 'base64').equals(key);

export type KeyJudgement =
  | { readonly kind: 'pinned' }
  | { readonly kind: 'learn'; readonly fingerprint: string }
  | { readonly kind: 'refused'; readonly reason: string };

export const judgeHostKey = (
  key: Buffer,
  known: { readonly pinned: readonly string[]; readonly mayLearn: boolean },
): KeyJudgement => {
  const fingerprint = fingerprintOf(key);
  if (known.pinned.some((pinned) => matches(pinned, key))) return { kind: 'pinned' };
  if (known.pinned.length > 0)
    return {
      kind: 'refused',
      reason: `the machine shows another host key than the pinned one: ${fingerprint}`,
    };
  if (known.mayLearn) return { kind: 'learn', fingerprint };
  return {
    kind: 'refused',
    reason: `no host key is pinned for this machine; it shows ${fingerprint}`,
  };
};

/** A server has several keys: ask for one of the kinds that are pinned. */
export const keyKinds = (pinned: readonly string[]): readonly string[] | undefined => {
  if (pinned.length === 0 || pinned.some((key) => key.startsWith('SHA256:'))) return undefined;
  return [
    ...new Set(
      pinned.flatMap((key) => {
        const kind = key.split(/\s+/)[0] ?? '';
        return kind === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [kind];
      }),
    ),
  ];
};
