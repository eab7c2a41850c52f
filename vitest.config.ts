import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'barclamps/**/*.test.ts',
      'tests/*.test.ts',
      'tests/chaos/**/*.test.ts',
      'tests/e2e/**/*.test.ts',
      'tests/lab/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/dist/**'],
    globalSetup: ['packages/testkit/src/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    maxWorkers: 2,
  },
});
