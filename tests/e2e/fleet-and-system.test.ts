/** What concerns all machines in the console: one that was deleted and has come again, and the data that all of them get. */
import { node_delete } from '@hostwright/api/nouns/node';
import { adoptNode, transaction } from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser, signIn } from './browser.ts';
import { look, photograph, press } from './dialog.ts';
import { useMetalStage } from './metal-stage.ts';

const OLD = { hostname: 'old', serial: 'CZ2741', macs: ['52:54:00:00:00:09'] };

const stage = useMetalStage(async ({ client, database }) => {
  const comes = () =>
    transaction(database.db, (tx) => adoptNode(tx, { machine: OLD, actor: 'e2e' }));
  await comes();
  await client.call(node_delete, { params: { node: 'old' } });
  await comes();
});

test('the machine of a deleted node is shown on the fleet and taken back by a person', async () => {
  const { page } = stage.otto;
  await page.goto(`${stage.site.url}/fleet`);
  await page.getByText('its machine has come again').waitFor();
  await look(page, 'offer');
  await press(page, 'Take it back');
  await page.getByText('old may join again').waitFor();
  await page.getByText('its machine has come again').waitFor({ state: 'detached' });
});

test('data of the system is set at once by an admin and by nobody else', async () => {
  const { page } = stage.otto;
  const address = `${stage.site.url}/deployments/system?tab=data`;
  const editor = (of: Page) => of.getByLabel('Data of system');
  await page.goto(address);
  expect(await editor(page).getAttribute('readonly')).not.toBeNull();
  const anna = await openBrowser(stage);
  const admin = await signIn(anna, stage.site, 'anna');
  await admin.goto(address);
  await editor(admin).fill('{ "site": { "name": ');
  const set = admin.getByRole('button', { name: 'Set it now' });
  expect(await set.isDisabled()).toBe(true);
  await editor(admin).fill('{ "site": { "name": "berlin" } }');
  await set.click();
  await admin.getByText('no imported role declares it').waitFor();
  await editor(admin).fill('{ "demo": { "ntp": { "server": "ntp.berlin.example" } } }');
  await set.click();
  await admin.getByText('Set', { exact: true }).waitFor();
  await eventually(async () => (await editor(page).inputValue()).includes('ntp.berlin.example'));
  expect(await set.isDisabled()).toBe(true);

  await admin.getByLabel('Data of another role').selectOption('demo-web');
  await admin.getByRole('textbox', { name: 'demo-web-port' }).fill('8181');
  await look(admin, 'system-data');
  await photograph(admin.locator('body'), 'system-data');
  await set.click();
  await page.getByRole('link', { name: 'demo-web' }).click();
  const port = page.getByRole('textbox', { name: 'demo-web-port' });
  await eventually(async () => (await port.inputValue()) === '8181');
  expect(anna.complaints).toEqual([]);
  await anna.context.close();
});
