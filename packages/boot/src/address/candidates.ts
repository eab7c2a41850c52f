/**
 * Which addresses to try for a node, best first. Pure: what is taken is found out by the caller,
 * under the lock of the range.
 */
import { createHash } from 'node:crypto';
import type { Refusal } from '@hostwright/core';
import { hostPart, readAddress, readSubnet, writeAddress } from './number.ts';

export interface RangeBounds {
  readonly name: string;
  readonly subnet: string;
  readonly first: string;
  readonly last: string;
}

export interface AddressWishes {
  /** What the operator asks for. Taken or outside the range = refused, never replaced. */
  readonly hint?: string;
  /** An address the node has in a network of the same group: the same host part is tried. */
  readonly like?: { readonly address: string; readonly subnet: string };
  /** For IPv6: stable addresses are made from it. */
  readonly nodeName?: string;
}

export interface Candidate {
  readonly address: string;
  readonly why: 'hint' | 'name' | 'same host part';
  readonly must: boolean;
}

export type Candidates =
  | { readonly ok: true; readonly candidates: readonly Candidate[] }
  | { readonly ok: false; readonly refusals: readonly Refusal[] };

const refuse = (message: string): Candidates => ({
  ok: false,
  refusals: [{ code: 'bad_address', path: 'hint', message }],
});

export const addressCandidates = (range: RangeBounds, wishes: AddressWishes): Candidates => {
  const subnet = readSubnet(range.subnet);
  const first = readAddress(range.first);
  const last = readAddress(range.last);
  if (subnet === null || first === null || last === null)
    return refuse(`range ${range.name} is not valid`);
  const inside = (value: bigint) => value >= first.value && value <= last.value;

  if (wishes.hint !== undefined) {
    const wanted = readAddress(wishes.hint);
    if (wanted === null) return refuse('the hint is not an address');
    if (wanted.family !== subnet.family || !inside(wanted.value)) {
      return refuse(
        `${writeAddress(wanted)} lies outside range ${range.name} (${range.first} - ${range.last})`,
      );
    }
    return { ok: true, candidates: [{ address: writeAddress(wanted), why: 'hint', must: true }] };
  }

  const candidates: Candidate[] = [];
  const offer = (value: bigint, why: Candidate['why']) => {
    if (inside(value))
      candidates.push({
        address: writeAddress({ family: subnet.family, value }),
        why,
        must: false,
      });
  };
  const like = wishes.like && readAddress(wishes.like.address);
  const likeSubnet = wishes.like && readSubnet(wishes.like.subnet);
  if (like && likeSubnet) offer(subnet.base + hostPart(like, likeSubnet), 'same host part');
  if (subnet.family === 6 && wishes.nodeName !== undefined) {
    const digest = createHash('sha256').update(wishes.nodeName).digest('hex');
    offer(
      subnet.base + hostPart({ family: 6, value: BigInt(`0x${digest.slice(0, 16)}`) }, subnet),
      'name',
    );
  }
  return { ok: true, candidates };
};
