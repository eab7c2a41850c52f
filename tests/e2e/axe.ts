/** Whether people who do not see or do not point can use what is on the page, as far as a program can tell. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(
  createRequire(new URL('../../packages/console/package.json', import.meta.url)).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
);

/** Rules of WCAG 2.2 A and AA. Evaluated through the debugger, so the content policy need not be relaxed. */
export const violations = async (
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(async (only) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: unknown): Promise<{
          violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const found = await axe.run({
      runOnly: only ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      resultTypes: ['violations'],
    });
    return found.violations.flatMap((each) =>
      each.nodes.map(
        (node) => `${each.id}: ${node.html.slice(0, 160)} :: ${node.failureSummary.slice(0, 300)}`,
      ),
    );
  }, rules);
};
