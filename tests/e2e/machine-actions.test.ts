/** What people do with a machine in the console: rescue, reinstall, release, its BMC, its boots as they happen. */
import { deployment_create } from '@hostwright/api/nouns/deployment';
import { node_get } from '@hostwright/api/nouns/node';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { recordBootEvent } from '@hostwright/boot';
import { transaction } from '@hostwright/engine';
import { startRedfishEmulator } from '@hostwright/providers';
import { eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { openBrowser, signIn } from './browser.ts';
import { choose, closed, fill, look, photograph, press, refused } from './dialog.ts';
import { INSTALL, useMetalStage } from './metal-stage.ts';
import type { Site } from './site.ts';

const install = async ({ client }: Site): Promise<void> => {
  await client.call(deployment_create, { body: { name: 'shop' } });
  const { id } = await client.call(snapshot_propose, { params: { deployment: 'shop' } });
  const params = { snapshot: id };
  const data = { os_install: { os: 'image', disk: { serials: ['WD-0001'] } } };
  await client.call(snapshot_bind, {
    params,
    body: { bindings: [{ role: INSTALL, node: 'm1', data }] },
  });
  const { hash } = await client.call(snapshot_plan, { params });
  const consent = [{ role: INSTALL, node: 'm1', disks: ['sda'] }];
  await client.call(snapshot_commit, { params, body: { plan: hash, consent } });
};

const stage = useMetalStage(install);

test('a machine is rescued, installed again and given back only as its dialogs say, disk by disk', async () => {
  const { page } = stage.otto;
  const { client } = stage.site;
  const dialog = page.getByRole('dialog');
  const failedTimes = (count: number) =>
    eventually(async () => {
      const runs = await client.call(run_list, { query: { role: INSTALL, status: 'failed' } });
      const bound = await client.call(noderole_list, { query: { role: INSTALL } });
      return runs.items.length === count && bound.items[0]?.state === 'error';
    });
  await failedTimes(1);
  await page.goto(`${stage.site.url}/nodes/m1`);

  await choose(page, 'Power and boot', /^rescue/);
  await look(page, 'rescue');
  await press(dialog, 'Boot rescue');
  await closed(dialog);
  await page.getByText('Restart it by hand').waitFor();
  await page.getByText('Its next boot is rescue').waitFor();
  await press(page, 'Take it back');
  await page.getByText('Its next boot is rescue').waitFor({ state: 'detached' });

  await choose(page, 'More', 'Boot it once into…');
  await dialog.getByLabel('Boot environment').selectOption('discovery');
  await press(dialog, 'Boot it once');
  await closed(dialog);
  await page.getByText('Its next boot is discovery').waitFor();

  // what failed after it had leave needs leave again, for disks that are named
  const { items } = await client.call(noderole_list, { query: { role: INSTALL } });
  await page.goto(`${stage.site.url}/noderoles/${items[0]?.id ?? 0}`);
  await press(page.getByRole('main').locator('header').first(), 'Retry');
  await press(page, 'Allow once');
  const allow = dialog.getByRole('button', { name: 'Allow once' });
  await dialog.getByRole('checkbox', { name: /^sda/ }).waitFor();
  expect(await allow.isDisabled()).toBe(true);
  await dialog.getByRole('checkbox', { name: /^sda/ }).check();
  await look(page, 'allow');
  await photograph(dialog, 'allow');
  await allow.click();
  await closed(dialog);
  await failedTimes(2);

  await page.goto(`${stage.site.url}/nodes/m1`);
  await choose(page, 'Power and boot', /^reinstall/);
  const erase = dialog.getByRole('button', { name: 'Erase and install' });
  const lost = dialog.getByRole('checkbox', { name: /^sda/ });
  await lost.waitFor();
  expect(await dialog.getByRole('checkbox').count()).toBe(1);
  expect(await erase.isDisabled()).toBe(true);
  await lost.check();
  await look(page, 'reinstall');
  await photograph(dialog, 'reinstall');
  await erase.click();
  await closed(dialog);
  await page.getByText('image is installed again on m1').waitFor();
  await failedTimes(3);

  await page.reload();
  await choose(page, 'Power and boot', /^release/);
  await dialog.getByLabel('Erase its disks').selectOption('full');
  const release = dialog.getByRole('button', { name: 'Release and erase' });
  expect(await release.isDisabled()).toBe(true);
  await dialog.getByRole('checkbox', { name: /^sdb/ }).check();
  await release.click();
  await dialog.getByRole('alert').getByText('sda (WD-0001) would be erased').waitFor();
  await look(page, 'release');
  await photograph(dialog, 'release');
  await dialog.getByLabel('Erase its disks').selectOption('no');
  await press(dialog, 'Release');
  await closed(dialog);
  await eventually(async () => {
    const { items } = await client.call(noderole_list, { query: { role: INSTALL } });
    return items.length === 0;
  });
  expect(stage.otto.complaints).toEqual([]);
});

test('a boot is seen on the pages of its node while it happens, told by events', async () => {
  const { page } = stage.otto;
  const { client, database } = stage.site;
  const { id: nodeId } = await client.call(node_get, { params: { node: 'm1' } });
  const see = (kind: 'power' | 'file', text: string) =>
    transaction(database.db, (tx) => recordBootEvent(tx, { nodeId, kind, text }));
  await page.goto(`${stage.site.url}/nodes/m1?tab=history`);
  const boots = page.getByRole('region', { name: 'Boots' });
  await boots.getByRole('link').first().waitFor();
  await see('power', 'on: by hand');
  await page.getByText('on: by hand').waitFor();
  // within the second for which the first event spoke
  await see('file', 'vmlinuz, 11.2 MiB');
  await page.getByText('vmlinuz, 11.2 MiB').waitFor();
  await boots.getByRole('link').first().click();
  await page.waitForURL('**/boots/*');
  await page.getByText('vmlinuz, 11.2 MiB').waitFor();
  await see('file', 'initrd, 9.8 MiB');
  await page.getByText('initrd, 9.8 MiB').waitFor();
  expect(stage.otto.complaints).toEqual([]);
});

test('a node is given its BMC by a form that names mistakes, never shows the password, and tests it', async () => {
  const anna = await openBrowser(stage);
  const page = await signIn(anna, stage.site, 'anna');
  const dialog = page.getByRole('dialog');
  const machine = { isOn: () => true, start: async () => {}, cut: async () => {} };
  const bmc = await startRedfishEmulator(machine, { username: 'root', password: 'calvin-0815' });
  try {
    await page.goto(`${stage.site.url}/nodes/m1`);
    const card = page.getByRole('list', { name: 'Hammers of this node' });
    await press(page, 'Give it a hammer');
    await fill(dialog, { Address: '-x $(reboot)' });
    await press(dialog, 'Give it');
    await refused(dialog, 'Address', 'the BMC address is no host');
    await dialog.getByLabel('Kind').selectOption('redfish');
    await fill(dialog, { Address: bmc.url, User: 'root', 'Pinned certificate': 'abc' });
    await press(dialog, 'Give it');
    await refused(dialog, 'Pinned certificate', 'a SHA-256 fingerprint has 64 hexadecimal digits');
    await fill(dialog, { 'Pinned certificate': '', Secret: 'bmc/nowhere' });
    await press(dialog, 'Give it');
    await refused(dialog, 'Secret', 'there is no secret bmc/nowhere');
    await photograph(dialog, 'hammer');
    await fill(dialog, { Secret: '', Password: 'not-calvin' });
    await press(dialog, 'Give it');
    await closed(dialog);
    await card.getByText('boot-network').waitFor();
    await press(page, 'Test redfish');
    await card.getByText(/refused GET .*: 401/).waitFor();

    await press(page, 'Change redfish');
    expect(await dialog.getByLabel('Secret', { exact: true }).inputValue()).toBe('bmc/m1');
    expect(await dialog.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await fill(dialog, { Password: 'calvin-0815' });
    await look(page, 'hammer');
    await press(dialog, 'Save');
    await closed(dialog);
    await press(page, 'Test redfish');
    await card.getByText('It answers: the machine is on.').waitFor();
    await look(page, 'hammers');
    expect(await page.content()).not.toContain('calvin-0815');

    await page.reload();
    await press(page, 'Test redfish');
    await card.getByText('It answers: the machine is on.').waitFor();
    await photograph(
      page.locator('section', { has: page.getByRole('heading', { name: 'Hammers' }) }),
      'hammers',
    );
    // the other BMC has another password: it must not become that of the first
    await press(page, 'Give it a hammer');
    await fill(dialog, { Address: '127.0.0.1', User: 'root', Password: 'another-0815' });
    await press(dialog, 'Give it');
    await closed(dialog);
    await card.getByText('bmc/m1/ipmi').waitFor();
    await page.reload();
    await press(page, 'Test redfish');
    await card.getByText('It answers: the machine is on.').waitFor();
    for (const kind of ['ipmi', 'redfish']) {
      await press(page, `Take ${kind} away`);
      await press(dialog, 'Take it away');
      await closed(dialog);
    }
    await card.waitFor({ state: 'detached' });
    expect(anna.complaints).toEqual([]);
  } finally {
    await bmc.close();
    await anna.context.close();
  }
});
