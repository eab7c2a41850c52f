/** Which networks a node is to be in, as the attributes of `network-addresses` say it. */
import type { JsonObject, JsonValue } from '@hostwright/core';

export interface AddressWish {
  readonly network: string;
  readonly range: string;
  /** Exactly this address or a refusal. */
  readonly address?: string;
}

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

export const readAddressWishes = (attribs: JsonObject): readonly AddressWish[] => {
  const own = object(attribs['network']);
  const hints = object(own['addresses']);
  const join = Array.isArray(own['join']) ? own['join'] : [];
  return join.flatMap((item) => {
    if (typeof item !== 'string') return [];
    const [network = '', range = 'host'] = item.split('/');
    const hint = hints[item] ?? hints[network];
    return [{ network, range, ...(typeof hint === 'string' && { address: hint }) }];
  });
};
