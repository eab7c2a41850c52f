/** Nodes and addresses that change are what the dns database role renders: it refreshes, coalesced by the engine. */
import type { BarclampHooks } from '@hostwright/engine';

const refresh: NonNullable<BarclampHooks['onNodeChange']> = async (context, node) => {
  const told = node.changes;
  // aliveness and facts are nothing DHCP or DNS would know
  const silent = ['alive', 'aliveReason', 'available', 'bootEpoch', 'facts', 'labels'];
  const moved = Object.keys(told).filter((key) => key !== 'name' && !silent.includes(key));
  if (Object.keys(told).length > 1 && moved.length === 0) return;
  await context.refreshRole({ role: 'dns-database', cause: `node ${node.name} changed` });
};

const moved: NonNullable<BarclampHooks['onAllocationCreate']> = async (context) => {
  await context.refreshRole({ role: 'dns-database', cause: 'an address was given or taken back' });
};

/** Domains stand in the configuration of the server itself. */
const networks: NonNullable<BarclampHooks['onNetworkChange']> = async (context) => {
  await context.refreshRole({ role: 'dns-server', cause: 'a network changed' });
};

export const hooks = {
  onNodeCreate: refresh,
  onNodeChange: refresh,
  onNodeDelete: refresh,
  onAllocationCreate: moved,
  onAllocationChange: moved,
  onAllocationDelete: moved,
  onNetworkCreate: networks,
  onNetworkChange: networks,
  onNetworkDelete: networks,
} satisfies BarclampHooks;
