export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { eventually } from './eventually.ts';
export { peer } from './peer.ts';
