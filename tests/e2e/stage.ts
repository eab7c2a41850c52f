/** A site and a browser for the tests of one file: opened before them, closed after. */
import { createTestDatabase, type TestDatabase } from '@hostwright/testkit';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launch } from './browser.ts';
import { startSite, type Site, type SiteOptions } from './site.ts';

export interface Stage {
  readonly site: Site;
  readonly browser: Browser;
}

/** The stage is filled in before the first test runs. */
export const useStage = (
  options: Omit<SiteOptions, 'database'>,
  prepare: (stage: Stage) => Promise<void> = async () => {},
): Stage => {
  let database: TestDatabase | undefined;
  const stage: { site?: Site; browser?: Browser } = {};
  const filled = stage as Stage; // by beforeAll
  beforeAll(async () => {
    database = await createTestDatabase();
    [stage.site, stage.browser] = await Promise.all([
      startSite({ database, ...options }),
      launch(),
    ]);
    await prepare(filled);
  }, 240_000);
  afterAll(async () => {
    await stage.browser?.close();
    await stage.site?.close();
    await database?.close();
  });
  return filled;
};
