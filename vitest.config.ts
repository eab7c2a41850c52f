import { defineConfig } from 'vitest/config';

/**
 * Two groups, one after the other. Parts: anything that shares the machine well, two files at a
 * time. Whole: browsers, virtual machines, kills and starts of everything - each wants both cores,
 * so that what it waits for comes in its own time.
 */
const WHOLE = [
  'packages/cli/test/up.test.ts',
  'packages/jigs/test/script-ssh.test.ts',
  'packages/simulator/test/converge.test.ts',
  'tests/chaos/**/*.test.ts',
  'tests/e2e/**/*.test.ts',
  'tests/lab/**/*.test.ts',
];
const NEVER = ['**/node_modules/**', '**/dist/**'];

export default defineConfig({
  test: {
    globalSetup: ['packages/testkit/src/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/**/*.test.ts',
            'barclamps/**/*.test.ts',
            'tests/*.test.ts',
          ],
          exclude: [...NEVER, ...WHOLE],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: WHOLE,
          exclude: NEVER,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
