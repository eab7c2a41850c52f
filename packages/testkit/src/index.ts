export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { eventually } from './eventually.ts';
