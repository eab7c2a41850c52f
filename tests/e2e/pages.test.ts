/** Every page opens without complaint and is accessible, in light and dark; with HOSTWRIGHT_SCREENS=1 it is photographed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run_list } from '@hostwright/api/nouns/run';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { eventually } from '@hostwright/testkit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startReplay } from '../../bench/console-replay.ts';
import { CONSOLE_DIST } from '../../packages/cli/src/up/build-console.ts';
import { violations } from './axe.ts';
import { dragOnto, openBrowser, signIn, type Person } from './browser.ts';
import { paintMetal } from './metal-scene.ts';
import { PAGES } from './pages.ts';
import { paintScene } from './scene.ts';
import { useStage } from './stage.ts';

const SCREENS = process.env['HOSTWRIGHT_SCREENS'] === '1';
const FOLDER = fileURLToPath(new URL('../../docs/screens', import.meta.url));
const THEMES = ['light', 'dark'] as const;

let anna: Person;
const stage = useStage(
  { machines: SCREENS ? 96 : 12, secondsPerTask: SCREENS ? 0.4 : 0.1 },
  async () => {
    if (SCREENS) mkdirSync(FOLDER, { recursive: true });
    await paintMetal(stage.site);
    await paintScene(stage.site);
    anna = await openBrowser(stage);
    await signIn(anna, stage.site, 'anna');
  },
);

const settled = async (page: Page): Promise<void> => {
  await page.getByText('Live', { exact: true }).waitFor();
  await eventually(async () => (await page.locator('.skeleton').count()) === 0);
};

const inBothThemes = async (page: Page, name: string): Promise<void> => {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(
      `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`,
    );
    // what differs in the dark is colour
    const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
    expect(await violations(page, rules), `${name}, ${colorScheme}`).toEqual([]);
    if (SCREENS) await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
  }
};

test.each(PAGES)('page %s opens without complaint and is accessible', async (name, path) => {
  await anna.page.goto(stage.site.url + path);
  await settled(anna.page);
  await inBothThemes(anna.page, name);
  expect(anna.complaints).toEqual([]);
});

test('run and noderole pages are accessible', async () => {
  const { items: runs } = await stage.site.client.call(run_list, {
    query: { role: 'demo-fails', limit: 1 },
  });
  await anna.page.goto(`${stage.site.url}/runs/${runs[0]?.id}`);
  await anna.page.getByRole('log').getByText(/\S/).first().waitFor();
  await settled(anna.page);
  await inBothThemes(anna.page, 'run');
  const { items } = await stage.site.client.call(noderole_list, {
    query: { role: 'demo-app', limit: 1 },
  });
  await anna.page.goto(`${stage.site.url}/noderoles/${items[0]?.id}`);
  await settled(anna.page);
  await inBothThemes(anna.page, 'noderole');
  expect(anna.complaints).toEqual([]);
});

test('dialogs are accessible: plan, command palette, binding', async () => {
  const { page } = anna;
  await page.goto(`${stage.site.url}/deployments/shop`);
  await settled(page);
  await page.getByRole('button', { name: 'Review plan and commit' }).click();
  await page.getByRole('dialog').getByText('to add').waitFor();
  await inBothThemes(page, 'plan');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('demo');
  await page.getByRole('option').first().waitFor();
  await inBothThemes(page, 'palette');
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox', { name: 'Search machines' }).fill(SCREENS ? 'r04' : 'u11');
  await page.locator('.machine').first().click();
  await page.getByRole('button', { name: /^Bind 1 node/ }).click();
  await page.getByRole('radio').first().waitFor();
  await inBothThemes(page, 'bind');
  await page.keyboard.press('Escape');
  expect(anna.complaints).toEqual([]);
});

test('a phone shows status and lets a proposal be approved', async () => {
  const person = await openBrowser(stage, { viewport: { width: 390, height: 844 } });
  const page = await signIn(person, stage.site, 'otto');
  await page.goto(`${stage.site.url}/fleet`);
  await settled(page);
  await inBothThemes(page, 'phone-fleet');
  await page.goto(`${stage.site.url}/deployments/shop`);
  await settled(page);
  await page.getByRole('button', { name: 'Review plan and commit' }).click();
  const commit = page.getByRole('dialog').getByRole('button', { name: 'Commit' });
  await commit.waitFor();
  await inBothThemes(page, 'phone-plan');
  const wide = await page.evaluate(`document.documentElement.scrollWidth > innerWidth`);
  expect(wide, 'the page must not be wider than the phone').toBe(false);
  expect(await commit.isEnabled()).toBe(true);
  expect(person.complaints).toEqual([]);
  await person.context.close();
});

test.runIf(SCREENS)('photographs of sign-in and of a drag', async () => {
  for (const colorScheme of THEMES) {
    const person = await openBrowser(stage, { colorScheme });
    await person.page.goto(`${stage.site.url}/signin`);
    await person.page.getByLabel('Name').waitFor();
    await person.page.screenshot({ path: join(FOLDER, `sign-in-${colorScheme}.png`) });
    const page = await signIn(person, stage.site, 'otto');
    await page.goto(`${stage.site.url}/deployments/shop`);
    await settled(page);
    const machine = await page.locator('.machine').first().getAttribute('data-machine');
    await dragOnto(page, machine ?? '', 'demo-app');
    await page.screenshot({ path: join(FOLDER, `drag-${colorScheme}.png`) });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await person.context.close();
  }
});

test.runIf(SCREENS)('photographs of a fleet of ten thousand, from a recording', async () => {
  const replay = await startReplay(CONSOLE_DIST, { nodes: 10_000, roles: 30, matrixNodes: 1000 });
  for (const colorScheme of THEMES) {
    const context = await stage.browser.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme,
    });
    const page = await context.newPage();
    for (const [name, path] of [
      ['fleet-10000', '/fleet'],
      ['matrix-1000', '/deployments/site-a'],
    ] as const) {
      await page.goto(replay.url + path);
      await page.locator('canvas').waitFor();
      await settled(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
    }
    await context.close();
  }
  await replay.stop();
});
