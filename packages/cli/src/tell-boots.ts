/**
 * What was seen of the machines that a commit has under way: an installation says nothing of its own
 * for minutes, but its phases and boots are in the flight recorder. Each entry is told once.
 */
import type { Client } from '@hostwright/api';
import { boot_get, boot_list } from '@hostwright/api/nouns/boot';
import { noderole_list, type Noderole } from '@hostwright/api/nouns/noderole';
import { harmless } from './show-fields.ts';

/** More machines at once are a rollout, of which nobody reads each boot. */
const MOST_MACHINES = 8;
/** Files and DHCP come by the dozen; these say how far it is. */
const TOLD: ReadonlySet<string> = new Set([
  'power',
  'script',
  'phase',
  'callback',
  'hello',
  'refused',
]);

export interface BootLine {
  readonly node: string;
  readonly text: string;
}

type Running = Pick<Noderole, 'node' | 'stateSince'>;

export const createBootTeller = (client: Client, snapshot: number) => {
  /** By boot attempt: how many of its entries were looked at. */
  const seen = new Map<number, number>();
  const ofAttempt = async (boot: number, { node, stateSince }: Running): Promise<BootLine[]> => {
    const { timeline } = await client.call(boot_get, { params: { boot } });
    const fresh = timeline.slice(seen.get(boot) ?? 0);
    seen.set(boot, timeline.length);
    return fresh
      .filter((entry) => TOLD.has(entry.kind) && entry.at >= stateSince)
      .map(({ text }) => ({ node, text: harmless(text) }));
  };
  const ofNode = async (running: Running): Promise<BootLine[]> => {
    const query = { node: running.node, limit: 3 };
    const { items } = await client.call(boot_list, { query });
    const lines: BootLine[] = [];
    for (const boot of items.toReversed())
      if (boot.events > (seen.get(boot.id) ?? 0) && (boot.lastAt ?? '') >= running.stateSince)
        lines.push(...(await ofAttempt(boot.id, running)));
    return lines;
  };
  return async (): Promise<readonly BootLine[]> => {
    const { items } = await client.call(noderole_list, {
      query: { snapshot, state: ['transition'], limit: 100 },
    });
    const running = new Map<string, Running>(items.map((item) => [item.node, item]));
    if (running.size > MOST_MACHINES) return [];
    const lines: BootLine[] = [];
    for (const item of running.values()) lines.push(...(await ofNode(item)));
    return lines;
  };
};
