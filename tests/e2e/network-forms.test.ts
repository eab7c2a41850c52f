/** Networks in the console: made, changed and filled with addresses by forms alone. */
import { expect, test } from 'vitest';
import { choose, closed, fill, look, photograph, press, refused } from './dialog.ts';
import { useMetalStage } from './metal-stage.ts';

const stage = useMetalStage();

test('a network is made, changed and filled with addresses by forms alone, and mistakes are named in them', async () => {
  const { page } = stage.otto;
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
  expect(stage.otto.complaints).toEqual([]);
});
