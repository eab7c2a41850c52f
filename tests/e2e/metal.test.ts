/**
 * What people do with metal in the console: networks and addresses, rescue, reinstall, release, machines
 * that come again. With HOSTWRIGHT_SCREENS=1 some of the dialogs are photographed.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deployment_create } from '@hostwright/api/nouns/deployment';
import { node_create, node_delete, node_get } from '@hostwright/api/nouns/node';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { importOsTemplates, recordBootEvent } from '@hostwright/boot';
import { startRedfishEmulator } from '@hostwright/providers';
import {
  adoptNode,
  importBarclamp,
  reportHello,
  reportInventory,
  transaction,
} from '@hostwright/engine';
import { eventually } from '@hostwright/testkit';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from './axe.ts';
import { openBrowser, signIn, type Person } from './browser.ts';
import { useStage } from './stage.ts';

const SCREENS = process.env['HOSTWRIGHT_SCREENS'] === '1';
const FOLDER = fileURLToPath(new URL('../../docs/screens', import.meta.url));
const BARCLAMPS = fileURLToPath(new URL('../../barclamps', import.meta.url));
const INSTALL = 'provisioner-os-install';
const DISKS = [
  { name: 'sda', serial: 'WD-0001', size_bytes: 480_103_981_056, signatures: ['ext4'] },
  { name: 'sdb', serial: 'WD-0002', size_bytes: 480_103_981_056, signatures: ['LVM2_member'] },
];
const OLD = { hostname: 'old', serial: 'CZ2741', macs: ['52:54:00:00:00:09'] };

let otto: Person;

/** A machine that told of its disks; nothing here can boot it, so an installation of it fails, and stays. */
const addMachine = async (): Promise<void> => {
  const { client, database } = stage.site;
  const made = await client.call(node_create, {
    body: { name: 'm1', macs: ['52:54:00:00:00:01'], bootenv: 'discovery' },
  });
  const boot = { nodeId: made.id, bootId: 'b1' };
  await reportHello(database.db, boot);
  await reportInventory(database.db, { ...boot, facts: { disks: DISKS } });
};

const install = async (): Promise<void> => {
  const { client } = stage.site;
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

const stage = useStage({ machines: 0 }, async () => {
  const { client, database } = stage.site;
  for (const name of ['network', 'provisioner'])
    await importBarclamp(database.db, { folder: join(BARCLAMPS, name), actor: 'e2e' });
  await importOsTemplates(database.db);
  await database.db
    .insertInto('boot_file')
    .values(
      ['images/default.tar.gz', 'discovery/vmlinuz', 'discovery/initrd.img'].map((path) => ({
        path,
        sha256: 'a'.repeat(64),
        size: 1,
      })),
    )
    .execute();
  await addMachine();
  await install();
  const comes = () =>
    transaction(database.db, (tx) => adoptNode(tx, { machine: OLD, actor: 'e2e' }));
  await comes();
  await client.call(node_delete, { params: { node: 'old' } });
  await comes();
  otto = await openBrowser(stage);
  await signIn(otto, stage.site, 'otto');
});

const look = async (page: Page, name: string): Promise<void> =>
  expect(await violations(page), name).toEqual([]);

const photograph = async (shown: Locator, name: string): Promise<void> => {
  if (!SCREENS) return;
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['dark', 'light'] as const) {
    await shown.page().emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await shown.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
  }
};

const fill = async (dialog: Locator, fields: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, text] of Object.entries(fields))
    await dialog.getByLabel(label, { exact: true }).fill(text);
};

const press = (within: Page | Locator, name: string): Promise<void> =>
  within.getByRole('button', { name, exact: true }).click();

const choose = async (page: Page, menu: string, item: string | RegExp): Promise<Locator> => {
  await press(page, menu);
  await page.getByRole('group', { name: menu }).getByRole('button', { name: item }).click();
  const dialog = page.getByRole('dialog');
  await dialog.waitFor();
  return dialog;
};

/** The reason stands at the field, for eyes and for screen readers. */
const refused = async (dialog: Locator, label: string, reason: string): Promise<void> => {
  const field = dialog.getByLabel(label, { exact: true });
  // an earlier refusal may still be shown
  await eventually(async () => (await field.getAttribute('aria-invalid')) === 'true', {
    what: `${label} is refused`,
  });
  const [described = ''] = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
  expect(await dialog.page().locator(`[id="${described}"]`).textContent()).toBe(reason);
  await dialog.locator('[aria-invalid]:focus').waitFor();
};

const closed = (dialog: Locator): Promise<void> => dialog.waitFor({ state: 'detached' });

test('a network is made, changed and filled with addresses by forms alone, and mistakes are named in them', async () => {
  const { page } = otto;
  const dialog = page.getByRole('dialog');
  await page.goto(`${stage.site.url}/networks`);
  await press(page, 'New network');
  await fill(dialog, {
    Name: 'admin',
    'What it is for': 'Machines boot from it',
    Domain: 'berlin.example',
    Subnet: '10.20.0.0/24',
    'First address': '10.20.0.10',
    'Last address': '10.20.1.10',
    Router: '10.20.0.1',
  });
  await dialog.getByLabel('Category').selectOption('admin');
  await press(dialog, 'Create');
  await refused(
    dialog,
    'Last address',
    'range host: 10.20.1.10 lies outside the subnet 10.20.0.0/24',
  );
  await look(page, 'network-new');
  await photograph(dialog, 'network-new');
  await fill(dialog, { 'Last address': '10.20.0.50' });
  await press(dialog, 'Create');
  await page.waitForURL('**/networks/admin');
  await page.getByText('10.20.0.1', { exact: true }).waitFor();

  await press(page, 'Add a range');
  await fill(dialog, { Name: 'dhcp', 'First address': '10.20.0.40', 'Last address': '10.20.0.90' });
  await dialog.getByLabel('For').selectOption('dhcp');
  await press(dialog, 'Add');
  await refused(dialog, 'First address', 'range dhcp overlaps range host of this network');
  await fill(dialog, { 'First address': '10.20.0.60' });
  await press(dialog, 'Add');
  await closed(dialog);
  await page.getByText('10.20.0.60 to 10.20.0.90').waitFor();
  await press(page, 'Change the range dhcp');
  await fill(dialog, { Name: 'strangers', 'Last address': '10.20.0.255' });
  await press(dialog, 'Save');
  await refused(
    dialog,
    'Last address',
    'range strangers: 10.20.0.255 is the broadcast address of 10.20.0.0/24',
  );
  await look(page, 'network-range');
  await photograph(dialog, 'network-range');
  await fill(dialog, { 'Last address': '10.20.0.80' });
  await press(dialog, 'Save');
  await closed(dialog);
  await page.getByText('10.20.0.60 to 10.20.0.80').waitFor();
  await press(page, 'Take the range strangers away');
  await press(dialog, 'Take it away');
  await closed(dialog);
  await page.getByText('10.20.0.60 to 10.20.0.80').waitFor({ state: 'detached' });

  await choose(page, 'More', 'Set its router');
  await fill(dialog, { Address: '10.20.0.254' });
  await look(page, 'network-router');
  await press(dialog, 'Set it');
  await closed(dialog);
  await page.getByText('10.20.0.254', { exact: true }).waitFor();
  expect(await page.getByText('10.20.0.1', { exact: true }).count()).toBe(0);
  await press(page, 'Take the router 10.20.0.254 away');
  await page.getByText('10.20.0.254', { exact: true }).waitFor({ state: 'detached' });

  await press(page, 'Give a node an address');
  await fill(dialog, { Node: 'm1' });
  await look(page, 'network-give');
  await press(dialog, 'Give it');
  await closed(dialog);
  const addresses = page.getByRole('region', { name: 'Addresses' });
  await addresses.getByRole('link', { name: 'm1' }).waitFor();
  await press(page, 'Change the range host');
  await fill(dialog, { 'First address': '10.20.0.20' });
  await press(dialog, 'Save');
  await refused(dialog, 'First address', '10.20.0.10 is in use (node m1)');
  await press(dialog, 'Close');
  await press(page, 'Take the range host away');
  await press(dialog, 'Take it away');
  await dialog.getByRole('alert').getByText('an address of range host is held').waitFor();
  await press(dialog, 'Leave it');

  await press(page, 'Reserve an address');
  await fill(dialog, { Address: '10.20.0.10', 'Whom it is for': 'the printer' });
  await press(dialog, 'Reserve');
  await dialog.getByRole('alert').waitFor();
  await fill(dialog, { Address: '10.20.0.33' });
  await press(dialog, 'Reserve');
  await closed(dialog);
  await press(page, 'Release 10.20.0.33');
  await press(dialog, 'Release');
  await closed(dialog);
  await page.getByRole('button', { name: 'Release 10.20.0.33' }).waitFor({ state: 'detached' });

  await choose(page, 'More', 'Edit');
  await fill(dialog, { Name: 'boot', VLAN: '7' });
  await press(dialog, 'Save');
  await page.waitForURL('**/networks/boot');
  await choose(page, 'More', 'Delete this network');
  await press(dialog, 'Delete');
  await dialog.getByRole('alert').waitFor();
  await press(dialog, 'Leave it');
  expect(otto.complaints).toEqual([]);
});

test('a machine is rescued, installed again and given back only as its dialogs say, disk by disk', async () => {
  const { page } = otto;
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
  expect(otto.complaints).toEqual([]);
});

test('a boot is seen on the pages of its node while it happens, told by events', async () => {
  const { page } = otto;
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
  expect(otto.complaints).toEqual([]);
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

test('the machine of a deleted node is shown on the fleet and taken back by a person', async () => {
  const { page } = otto;
  await page.goto(`${stage.site.url}/fleet`);
  await page.getByText('its machine has come again').waitFor();
  await look(page, 'offer');
  await press(page, 'Take it back');
  await page.getByText('old may join again').waitFor();
  await page.getByText('its machine has come again').waitFor({ state: 'detached' });
});

test('data of the system is set at once by an admin and by nobody else', async () => {
  const { page } = otto;
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
