/** What goes wrong between people: others who edit meanwhile, ended sessions, hostile words and addresses. */
import { deployment_create, deployment_get } from '@hostwright/api/nouns/deployment';
import { node_create, node_patch } from '@hostwright/api/nouns/node';
import { snapshot_bind, snapshot_role_put } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_discard, snapshot_list, snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { eventually } from '@hostwright/testkit';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { carryOnto, openBrowser, signIn, type Person } from './browser.ts';
import { PAGES } from './pages.ts';
import { PASSWORD } from './site.ts';
import { useStage } from './stage.ts';

let otto: Person;
let vera: Person;
const stage = useStage({ machines: 3 }, async () => {
  [otto, vera] = await Promise.all([openBrowser(stage), openBrowser(stage)]);
  await Promise.all([signIn(otto, stage.site, 'otto'), signIn(vera, stage.site, 'vera')]);
});

const propose = async (name: string, node: string): Promise<number> => {
  const { client } = stage.site;
  await client.call(deployment_create, { body: { name } });
  const { id } = await client.call(snapshot_propose, { params: { deployment: name } });
  await client.call(snapshot_bind, {
    params: { snapshot: id },
    body: { bindings: [{ role: 'demo-ntp', node }] },
  });
  return id;
};

const openPlan = async (page: Page, deployment: string) => {
  await page.goto(`${stage.site.url}/deployments/${deployment}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Review plan and commit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('to add').waitFor();
  return { dialog, commit: dialog.getByRole('button', { name: 'Commit' }) };
};

test('a plan that changed under its reader is not committed unread', async () => {
  const { page } = otto;
  const snapshot = await propose('moving', 'rack-r01-u01');
  const { dialog, commit } = await openPlan(page, 'moving');
  await stage.site.client.call(snapshot_bind, {
    params: { snapshot },
    body: { bindings: [{ role: 'demo-web', node: 'rack-r01-u02' }] },
  });
  await dialog.getByText('was changed while you read this').waitFor();
  expect(await dialog.getByText('demo-web').count()).toBe(0);
  expect(await commit.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Show the new plan' }).click();
  await dialog.getByText('demo-web').first().waitFor();
  expect(await commit.isEnabled()).toBe(true);
  await stage.site.client.call(snapshot_discard, { params: { snapshot } });
  await dialog.getByRole('alert').waitFor();
  expect(await commit.isDisabled()).toBe(true);
});

test('a plan that somebody else commits stays open and says so', async () => {
  const { page } = otto;
  const snapshot = await propose('taken', 'rack-r01-u03');
  const { dialog, commit } = await openPlan(page, 'taken');
  const params = { snapshot };
  const { hash } = await stage.site.client.call(snapshot_plan, { params });
  await stage.site.client.call(snapshot_commit, { params, body: { plan: hash } });
  await dialog.getByText('no longer open').waitFor();
  expect(await commit.isDisabled()).toBe(true);
});

test('two clicks on Commit commit once', async () => {
  const { page } = otto;
  await propose('twice', 'rack-r01-u02');
  const { dialog, commit } = await openPlan(page, 'twice');
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/commit')) sent += 1;
  });
  await commit.dblclick();
  await dialog.waitFor({ state: 'detached' });
  expect(sent).toBe(1);
  const { items } = await stage.site.client.call(snapshot_list, {
    params: { deployment: 'twice' },
  });
  expect(items.map((each) => each.state)).toEqual(['committed']);
});

test('what a person types is not lost when somebody else saves, and nonsense is not saved', async () => {
  const { page } = otto;
  const { client } = stage.site;
  await client.call(deployment_create, { body: { name: 'typing' } });
  const { id } = await client.call(snapshot_propose, { params: { deployment: 'typing' } });
  const params = { snapshot: id, role: 'demo-web' };
  await client.call(snapshot_role_put, { params, body: {} });
  await page.goto(`${stage.site.url}/deployments/typing?tab=data&role=demo-web`);
  const port = page.getByRole('textbox', { name: 'demo-web-port' });
  const save = page.getByRole('button', { name: 'Put into the proposal' });
  await port.fill('8181');
  await port.fill('http');
  expect(await save.isDisabled()).toBe(true);
  await port.fill('8181');
  await client.call(snapshot_role_put, {
    params,
    body: { data: { demo: { web: { port: 9090 } } } },
  });
  await page.getByText('Somebody else changed this meanwhile').waitFor();
  expect(await port.inputValue()).toBe('8181');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await eventually(async () => (await port.inputValue()) === '9090');
  await port.fill('8282');
  await save.click();
  await page.getByText('In the proposal', { exact: true }).waitFor();
  await eventually(async () => save.isDisabled());
  expect(await page.getByText('Somebody else').count()).toBe(0);
});

test('a drop quicker than its verdict is refused by the server and leaves no empty proposal behind', async () => {
  const { page } = otto;
  // demo-ntp is on this node already, in another deployment
  const elsewhere = await propose('elsewhere', 'rack-r01-u01');
  const params = { snapshot: elsewhere };
  const { hash } = await stage.site.client.call(snapshot_plan, { params });
  await stage.site.client.call(snapshot_commit, { params, body: { plan: hash } });
  await stage.site.client.call(deployment_create, { body: { name: 'refusing' } });
  await page.goto(`${stage.site.url}/deployments/refusing`);
  await page.locator('[data-drop-role="demo-ntp"]').waitFor();
  await page.route('**/explain-binding', () => {}); // not answered before the drop
  await carryOnto(page, 'rack-r01-u01', 'demo-ntp');
  const refused = page.waitForResponse((answer) => answer.url().endsWith('/bind'));
  await page.mouse.up();
  expect((await refused).status()).toBe(422);
  await page.unroute('**/explain-binding');
  await page.getByText('bound to rack-r01-u01 already, in deployment elsewhere').waitFor();
  await eventually(async () => {
    const params = { deployment: 'refusing' };
    return (await stage.site.client.call(deployment_get, { params })).proposedSnapshotId === null;
  });
});

test('a tab goes on working after its person signed in again in another one', async () => {
  const person = await openBrowser(stage);
  const page = await signIn(person, stage.site, 'otto');
  await page.goto(`${stage.site.url}/nodes/rack-r01-u01`);
  await page.getByRole('button', { name: 'Take out of service' }).waitFor();
  await person.context.request.post(`${stage.site.url}/api/v2/session`, {
    data: { name: 'otto', password: PASSWORD },
  });
  await page.getByRole('button', { name: 'Take out of service' }).click();
  await page.getByText('out of service', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Put into service' }).click();
  await person.context.close();
});

test('an ended session leads to sign-in and back to the same page', async () => {
  const person = await openBrowser(stage);
  const page = await signIn(person, stage.site, 'otto');
  await page.goto(`${stage.site.url}/nodes/rack-r01-u02?tab=runs`);
  await page.getByRole('button', { name: 'Take out of service' }).waitFor();
  await person.context.clearCookies();
  // a read that is due may be quicker than the click
  const click = page.getByRole('button', { name: 'Take out of service' }).click();
  await Promise.race([click.catch(() => {}), page.waitForURL('**/signin?**')]);
  await page.waitForURL('**/signin?**');
  await page.getByLabel('Name').fill('otto');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/nodes/rack-r01-u02?tab=runs');
  await person.context.close();
});

test('hostile words are shown as words, and long ones do not widen the page', async () => {
  const { page } = vera;
  const hostile = `<img src=x onerror="document.title='owned'"> \u202Egnp.exe 🦊 {{7*7}}`;
  const long = `n${'-very-long'.repeat(20)}`;
  const { client } = stage.site;
  await client.call(deployment_create, {
    body: { name: 'hostile', description: hostile },
  });
  await client.call(node_create, { body: { name: long, description: hostile } });
  const labels = { rack: hostile, constructor: 'x', 'a/b': '' };
  await client.call(node_patch, { params: { node: 'rack-r01-u01' }, body: { labels } });
  for (const path of [
    '/fleet?group=rack',
    '/fleet?view=table',
    `/nodes/${long}`,
    '/nodes/rack-r01-u01',
    '/deployments/hostile',
    '/deployments',
  ]) {
    await page.goto(stage.site.url + path);
    await page.getByText('Live', { exact: true }).waitFor();
    await eventually(async () => (await page.locator('.skeleton').count()) === 0);
    expect(await page.title(), path).not.toContain('owned');
    expect(await page.locator('img').count(), path).toBe(0);
    expect(
      await page.evaluate(`document.documentElement.scrollWidth > innerWidth`),
      `${path} is wider than the window`,
    ).toBe(false);
  }
  expect(vera.complaints).toEqual([]);
});

test('addresses that name nothing, or what every object inherits, break no page', async () => {
  const { page } = vera;
  for (const path of [
    '/fleet?group=__proto__&density=toString&states=constructor&view=valueOf',
    '/annealer?show=constructor',
    '/deployments/__proto__',
    '/deployments/shop?tab=hasOwnProperty&role=__proto__',
    '/nodes/%00?tab=__proto__',
    '/runs/NaN',
    '/noderoles/99999999999999999999',
    '/boots/-1',
    '/no/such/page',
  ]) {
    await page.goto(stage.site.url + path);
    await page.locator('main, .empty, [role=alert]').first().waitFor();
    await eventually(async () => (await page.locator('.skeleton').count()) === 0);
  }
  expect(vera.complaints).toEqual([]);
});

/** What only reads, moves or narrows what is seen. */
const READS =
  /^(Names|Cells|Dense|Grid|Table|Matrix|Networks|Nodes × networks|Every noderole|By role|Show all|Filter|Preview|Older|More|Hold still|Go on|Compare|See the plan|Copy|Close|All facts|As the system|Light|Dark|Change password|New token|Revoke|Node|Role|Barclamp|Jig|Noderoles|zoom|fit|Show|\d|Error|Blocked|In transition|To do|Proposed|Undefined|Not alive|Active)/i;

const SHOWN_TO_VIEWERS = new Set([
  'fleet',
  'node',
  'deployments',
  'deployment-matrix',
  'deployment-data',
  'deployment-history',
  'annealer',
  'barclamps',
  'jigs',
  'networks',
  'boot',
  'groups',
  'settings',
]);

test('a viewer is offered no control that changes anything, on any page', async () => {
  const { page } = vera;
  const offered: string[] = [];
  for (const [, path] of PAGES.filter(([name]) => SHOWN_TO_VIEWERS.has(name))) {
    await page.goto(stage.site.url + path.replace('/shop', '/twice'));
    await eventually(async () => (await page.locator('.skeleton').count()) === 0);
    const names = await page
      .locator('main button:enabled')
      .evaluateAll((all) =>
        all.map((each) => (each.getAttribute('aria-label') ?? each.textContent ?? '').trim()),
      );
    offered.push(...names.filter((name) => !READS.test(name)).map((name) => `${path}: ${name}`));
  }
  expect(offered).toEqual([]);
  expect(vera.complaints).toEqual([]);
}, 120_000);

test('back and forward keep what was searched', async () => {
  const { page } = vera;
  await page.goto(`${stage.site.url}/fleet`);
  await page.getByRole('searchbox', { name: 'Search nodes' }).fill('u02');
  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByRole('link', { name: 'rack-r01-u02' }).click();
  await page.waitForURL('**/nodes/rack-r01-u02');
  await page.goBack();
  await page.waitForURL('**/fleet?**');
  expect(await page.getByRole('searchbox', { name: 'Search nodes' }).inputValue()).toBe('u02');
  await page.goForward();
  await page.getByRole('heading', { name: /rack-r01-u02/ }).waitFor();
});
