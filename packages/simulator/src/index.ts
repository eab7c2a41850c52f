export { startFleet, type Fleet, type FleetOptions } from './fleet.ts';
export { identityOf, inventoryOf, type Identity } from './hardware.ts';
export type { Machine } from './machine.ts';
export type { Tally } from './tally.ts';
export { openWire, readLines, type Ask, type Wire } from './wire.ts';
