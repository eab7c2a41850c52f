/** The console in a real browser, against the real server, worker and simulated machines. */
import { deployment_create, deployment_get } from '@hostwright/api/nouns/deployment';
import { noderole_list } from '@hostwright/api/nouns/noderole';
import { run_list } from '@hostwright/api/nouns/run';
import { session_link_create } from '@hostwright/api/nouns/session';
import { snapshot_bind } from '@hostwright/api/nouns/snapshot-edit';
import { snapshot_commit } from '@hostwright/api/nouns/snapshot-commit';
import { snapshot_plan } from '@hostwright/api/nouns/snapshot-plan';
import { snapshot_propose } from '@hostwright/api/nouns/snapshot';
import { node_patch } from '@hostwright/api/nouns/node';
import { eventually } from '@hostwright/testkit';
import { expect, test } from 'vitest';
import { dragOnto, openBrowser, signIn, type Person } from './browser.ts';
import { PASSWORD } from './site.ts';
import { useStage } from './stage.ts';

let otto: Person;
const stage = useStage({ machines: 6 }, async () => {
  otto = await openBrowser(stage);
  await signIn(otto, stage.site, 'otto');
});

/** A deployment with one role bound and committed, through the API. */
const deploy = async (name: string, role: string, node: string): Promise<void> => {
  const { client } = stage.site;
  const deployment = await client
    .call(deployment_get, { params: { deployment: name } })
    .catch(() => client.call(deployment_create, { body: { name } }));
  const snapshot = await client.call(snapshot_propose, { params: { deployment: deployment.name } });
  const params = { snapshot: snapshot.id };
  await client.call(snapshot_bind, { params, body: { bindings: [{ role, node }] } });
  const { hash } = await client.call(snapshot_plan, { params });
  await client.call(snapshot_commit, { params, body: { plan: hash } });
};

const stateOf = async (role: string, node: string): Promise<string | undefined> => {
  const { items } = await stage.site.client.call(noderole_list, { query: { role, node } });
  return items[0]?.state;
};

test('nobody gets in without a session, a wrong password is refused in words, the right one leads on', async () => {
  const { page, context } = await openBrowser(stage);
  await page.goto(`${stage.site.url}/annealer`);
  await page.waitForURL('**/signin**');
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('wrong');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/annealer');
  await page.getByRole('button', { name: /anna/ }).waitFor();
  await context.close();
});

test('a sign-in link lets its user in once', async () => {
  const { url } = await stage.site.client.call(session_link_create, { body: { user: 'otto' } });
  const path = new URL(url);
  const link = `${stage.site.url}${path.pathname}${path.search}${path.hash}`;
  const first = await openBrowser(stage);
  await first.page.goto(link);
  await first.page.waitForURL('**/fleet');
  expect(first.page.url()).not.toContain('token');
  await first.page.getByRole('button', { name: /otto/ }).waitFor();
  const second = await openBrowser(stage);
  await second.page.goto(link);
  expect(await second.page.getByRole('alert').textContent()).toContain('used before');
  await Promise.all([first.context.close(), second.context.close()]);
});

test('a node dragged onto a role turns active after its plan was read and committed', async () => {
  const { page } = otto;
  await page.goto(stage.site.url);
  await page.getByRole('link', { name: 'Deployments', exact: true }).click();
  await page.getByRole('button', { name: 'New deployment' }).first().click();
  await page.getByLabel('Name').fill('shop');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL('**/deployments/shop');

  await page.locator('[data-drop-role="demo-web"]').waitFor();
  await dragOnto(page, 'rack-r01-u01', 'demo-web');
  const ghost = page.locator('.drag-ghost');
  expect(await ghost.textContent()).toContain('demo-web would accept');
  expect(await ghost.textContent()).toContain('demo-ntp on rack-r01-u01');
  await page.mouse.up();

  await page.getByRole('button', { name: 'Review plan and commit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 noderoles to add').waitFor();
  expect(await dialog.textContent()).toContain('Pulled in');
  expect(await stateOf('demo-web', 'rack-r01-u01')).toBeUndefined();
  await dialog.getByRole('button', { name: 'Commit' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByText('shop is done').waitFor();
  expect(await stateOf('demo-web', 'rack-r01-u01')).toBe('active');
  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByRole('button', { name: /demo-web.*Active/ }).waitFor();
  expect(otto.complaints).toEqual([]);
});

test('the same binding can be made by keyboard alone', async () => {
  const { page } = otto;
  await page.goto(`${stage.site.url}/deployments/shop`);
  await page.getByRole('button', { name: /^rack-r01-u02/ }).press('Space');
  await page.getByRole('button', { name: /^Bind 1 node/ }).press('Enter');
  await page.getByRole('radio', { name: 'demo-web' }).press('Space');
  await page.getByText('demo-web would accept').waitFor();
  await page.getByRole('button', { name: 'Bind to demo-web' }).press('Enter');
  await page.getByRole('region', { name: 'Open proposal' }).waitFor();
  // a live update may take the focus between its coming and the key
  await eventually(async () => {
    const sure = page.getByRole('button', { name: 'Discard it' });
    const discard = (await sure.isVisible())
      ? sure
      : page.getByRole('button', { name: 'Discard', exact: true });
    if (await discard.isVisible()) await discard.press('Enter', { timeout: 2000 });
    return (await page.getByRole('region', { name: 'Open proposal' }).count()) === 0;
  });
});

test('a failing role shows its log and why, and can be retried', async () => {
  const { page } = otto;
  await deploy('broken', 'demo-fails', 'rack-r01-u03');
  await page.goto(`${stage.site.url}/deployments/broken`);
  await page
    .getByText(/demo-fails on rack-r01-u03/)
    .first()
    .waitFor();
  await page.getByRole('link', { name: 'See the log' }).click();
  await page.waitForURL('**/runs/*');
  const first = page.url();
  await page.getByRole('log').getByText(/\S/).first().waitFor();
  await page.getByRole('note', { name: 'Why' }).getByText('demo-fails on rack-r01-u03').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByText('It will run again').waitFor();
  await eventually(async () => {
    const { items } = await stage.site.client.call(run_list, {
      query: { role: 'demo-fails', status: 'failed' },
    });
    return items.length > 1;
  });
  await page.goto(`${stage.site.url}/annealer?show=failed`);
  await page.getByRole('region', { name: 'Runs' }).getByRole('row').nth(2).waitFor();
  expect(page.url()).not.toBe(first);
});

test('a deployment can be rolled back to what it was', async () => {
  const { page } = otto;
  await deploy('stage', 'demo-ntp', 'rack-r01-u04');
  await deploy('stage', 'demo-web', 'rack-r01-u04');
  await eventually(async () => (await stateOf('demo-web', 'rack-r01-u04')) === 'active');
  await page.goto(`${stage.site.url}/deployments/stage?tab=history`);
  await page.getByRole('button', { name: 'Compare' }).first().click();
  await page.getByRole('dialog').getByText('demo-web').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Roll back to this' }).click();
  await page.getByRole('button', { name: 'Review plan and commit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('heading', { name: 'Tear down' }).waitFor();
  await dialog.getByRole('button', { name: 'Commit' }).click();
  await eventually(async () => (await stateOf('demo-web', 'rack-r01-u04')) === undefined);
  expect(await stateOf('demo-ntp', 'rack-r01-u04')).toBe('active');
});

test('two browsers see each other’s change without reloading', async () => {
  const [one, two] = await Promise.all([openBrowser(stage), openBrowser(stage)]);
  const [first, second] = await Promise.all([
    signIn(one, stage.site, 'otto'),
    signIn(two, stage.site, 'anna'),
  ]);
  await Promise.all([
    first.goto(`${stage.site.url}/nodes/rack-r01-u05`),
    second.goto(`${stage.site.url}/nodes/rack-r01-u05`),
  ]);
  await second.getByRole('button', { name: 'Take out of service' }).waitFor();
  await second.getByText('Live', { exact: true }).waitFor();
  await first.getByRole('button', { name: 'Take out of service' }).click();
  await second.getByText('out of service', { exact: true }).waitFor({ timeout: 5000 });
  await second.getByRole('button', { name: 'Put into service' }).click();
  await first
    .getByText('out of service', { exact: true })
    .waitFor({ state: 'detached', timeout: 5000 });
  await Promise.all([one.context.close(), two.context.close()]);
});

test('a page stays open while the server is gone for long and catches up by itself', async () => {
  const person = await openBrowser(stage);
  const page = await signIn(person, stage.site, 'vera');
  await page.clock.install();
  await page.goto(`${stage.site.url}/nodes/rack-r01-u06`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { stillTheSamePage: true }));
  await stage.site.stopServer();
  await page.getByText('The server does not answer', { exact: false }).waitFor();
  // for the page half an hour goes by: it has asked in vain many times, and waits as long as it ever does
  let asked = 0;
  page.on('requestfailed', (request) => {
    if (new URL(request.url()).pathname === '/api/v2/events') asked += 1;
  });
  await eventually(async () => {
    await page.clock.fastForward(60_000);
    return asked > 8;
  });
  await stage.site.startServer();
  await stage.site.client.call(node_patch, {
    params: { node: 'rack-r01-u06' },
    body: { labels: { moved: 'while-away' } },
  });
  await page.getByText('moved=while-away').waitFor({ timeout: 30_000 });
  await page.getByText('Live', { exact: true }).waitFor();
  expect(await page.evaluate(() => 'stillTheSamePage' in globalThis)).toBe(true);
  await person.context.close();
});

test('a viewer is offered nothing that changes anything', async () => {
  const person = await openBrowser(stage);
  const page = await signIn(person, stage.site, 'vera');
  const { id } = await stage.site.client.call(snapshot_propose, { params: { deployment: 'shop' } });
  await page.goto(`${stage.site.url}/deployments/shop`);
  await page.getByRole('button', { name: 'See the plan' }).click();
  await page
    .getByRole('dialog')
    .getByText(/noderole|changes nothing/)
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: 'Commit' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  for (const name of ['Discard', 'Add role', 'Pause', 'New deployment'])
    expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  expect(await page.getByRole('link', { name: 'Users' }).count()).toBe(0);
  const refused = await page.evaluate(async (snapshot) => {
    const me = (await (await fetch('/api/v2/session')).json()) as { csrf: string };
    const answer = await fetch(`/api/v2/snapshots/${snapshot}/commit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': me.csrf },
      body: '{}',
    });
    return answer.status;
  }, id);
  expect(refused).toBe(403);
  await person.context.close();
});

test('a change without the CSRF token of the session is refused', async () => {
  const person = await openBrowser(stage);
  const page = await signIn(person, stage.site, 'anna');
  await page.goto(`${stage.site.url}/settings`);
  const status = await page.evaluate(async () => {
    const answer = await fetch('/api/v2/deployments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"forged"}',
    });
    return answer.status;
  });
  expect(status).toBe(403);
  await person.context.close();
});
