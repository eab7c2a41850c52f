/** How a person works with the console's dialogs; with HOSTWRIGHT_SCREENS=1 some of them are photographed. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@hostwright/testkit';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { violations } from './axe.ts';

const SCREENS = process.env['HOSTWRIGHT_SCREENS'] === '1';
const FOLDER = fileURLToPath(new URL('../../docs/screens', import.meta.url));

export const look = async (page: Page, name: string): Promise<void> =>
  expect(await violations(page), name).toEqual([]);

export const photograph = async (shown: Locator, name: string): Promise<void> => {
  if (!SCREENS) return;
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const) {
    await shown.page().emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await shown.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
  }
};

export const fill = async (
  dialog: Locator,
  fields: Readonly<Record<string, string>>,
): Promise<void> => {
  for (const [label, text] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(text);
};

export const press = (within: Page | Locator, name: string): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click();

export const choose = async (page: Page, menu: string, item: string | RegExp): Promise<Locator> => {
  await press(page, menu);
  await page.getByRole('group', { name: menu }).getByRole('button', { name: item }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
};

/** The reason stands at the field, for eyes and for screen readers. */
export const refused = async (dialog: Locator, label: string, reason: string): Promise<void> => {
  const field = dialog.getByLabel(label, { exact: true });
  // an earlier refusal may still be shown
  await eventually(async () => (await field.getAttribute('aria-invalid')) === 'true', {
    what: `${label} is refused`,
  });
  const [described = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
  expect(await dialog.page().locator(`[id="${described}"]`).textContent()).toBe(reason);
  await dialog.locator('[aria-invalid]:focus').waitFor();
};

export const closed = (dialog: Locator): Promise<void> => dialog.waitFor({ state: 'detached' });
