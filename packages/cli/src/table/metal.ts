import type { CommandSpec, NounSpec } from '../spec.ts';
import { BOOT_COMMANDS, OS_COMMANDS } from './boots.ts';
import { NETWORK_COMMANDS } from './networks.ts';
import { NODE_METAL_COMMANDS } from './node-metal.ts';

export const METAL_NOUNS: readonly NounSpec[] = [
  { name: 'network', summary: 'networks, ranges, addresses, names' },
  { name: 'boot', summary: 'what machines boot, and what happened when they did' },
  { name: 'os', summary: 'operating systems that can be installed' },
];

export const METAL_COMMANDS: readonly CommandSpec[] = [
  ...NODE_METAL_COMMANDS,
  ...NETWORK_COMMANDS,
  ...BOOT_COMMANDS,
  ...OS_COMMANDS,
];
