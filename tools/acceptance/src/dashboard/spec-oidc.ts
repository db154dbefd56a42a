// SPDX-License-Identifier: Apache-2.0
import { bootstrap } from '../../../db/src/bootstrap.ts';
import type { DashboardWorld } from './dashboard-world.ts';

const of = (name: string, isVerified = true) =>
  [name, { email: `${name}@example.com`, email_verified: isVerified }] as const;

export const ACCOUNTS = new Map([of('ada'), of('bob'), of('nobody'), of('eve', false)]);

/** On the page of the issuer, which is another site. @param account undefined: no, not with this one */
async function goThroughIssuer(world: DashboardWorld, account?: string): Promise<void> {
  const { page, issuer } = world;
  await page.getByRole('link', { name: `Sign in with ${new URL(issuer!.url).host}` }).click();
  await page.waitForURL(`${issuer!.url}/account/**`);
  if (account !== undefined) await page.getByLabel('Account').fill(account);
  await page.getByRole('button', { name: account === undefined ? 'Cancel' : 'Continue' }).click();
}

/** Nobody is known, neither here nor there. Until somebody signs in the API says so. */
async function forget({ page, browser, origin }: DashboardWorld, path: string): Promise<void> {
  await page.context().clearCookies();
  browser.expected.add(401);
  await page.goto(`${origin}/ui${path}`);
  await page.waitForURL('**/ui/sign-in?**');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
}

async function manage(
  world: DashboardWorld,
  {
    path,
    body,
    key = world.tenant.keys.management,
  }: { readonly path: string; readonly body: object; readonly key?: string },
) {
  const response = await fetch(`${world.harness.apiUrl}/management${path}`, {
    method: path === '/workspace' || /^\/members\/./.test(path) ? 'PATCH' : 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as { id: string };
}

/** The whole way through another site and back, as people in a browser go it. */
export async function refuseOthers(world: DashboardWorld): Promise<void> {
  await forget(world, '/addresses');
  await world.inspect('sign-in-issuer');
  for (const [account, text] of [
    ['nobody', 'Ask the owner of your workspace to add you'],
    ['eve', 'no verified e-mail address'],
    [undefined, 'Sign-in was canceled at the identity provider'],
  ] as const) {
    await forget(world, '/');
    await goThroughIssuer(world, account);
    await world.page.waitForURL('**/ui/sign-in?reason=*');
    await world.say(new RegExp(text));
    const cookies = await world.page.context().cookies(`${world.origin}/v1/session`);
    expect(cookies.map(({ name }) => name)).toEqual([]);
  }
  await world.inspect('sign-in-refused');
}

export async function useAsDeveloper(world: DashboardWorld): Promise<void> {
  const { page, browser, harness, origin } = world;
  const ada = { email: 'ada@example.com', role: 'developer' };
  const { id } = await manage(world, { path: '/members', body: ada });
  await forget(world, '/transactions?statuses=%5B%22confirmed%22%5D');
  await goThroughIssuer(world, 'ada');
  // Back where she wanted to be; the cookie came along although the way led over another site.
  await page.waitForURL(`${origin}/ui/transactions?**`);
  await page.getByRole('heading', { name: 'Transactions', level: 1 }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  browser.expected.delete(401);
  expect(await page.evaluate('document.cookie')).toBe('');

  // What the role may not is not offered.
  const buttons = (name: RegExp) => page.getByRole('main').getByRole('button', { name });
  await world.visit('Keys');
  await page.getByRole('main').getByText('Management').first().waitFor();
  expect(await buttons(/Make|Roll|Revoke/).count()).toBe(0);
  await world.visit('Members');
  await page.getByText('ada@example.com').first().waitFor();
  expect(await buttons(/Add|Change|Remove/).count()).toBe(0);
  await world.visit('Channels');
  await page.getByRole('main').getByRole('link', { name: 'Orders' }).click();
  await page.getByRole('table', { name: 'Deliveries' }).waitFor();
  await buttons(/Recover/)
    .first()
    .waitFor();
  expect([await page.getByText('Signing secret').count(), await buttons(/Rotate/).count()]).toEqual([0, 0]);
  await world.inspect('developer');

  // What it may, it does, under her name.
  const address = `0x${'ad'.repeat(20)}`;
  await world.visit('Addresses');
  await world.press('Add address');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Address' }).fill(address);
  await page.getByRole('dialog').getByRole('button', { name: 'Add address' }).click();
  await page.waitForURL('**/ui/addresses/0x*');
  // Its own page would ask for what is gone.
  await world.visit('Members');
  const status = await page.evaluate(
    ([asked, project]) =>
      fetch(`/v1/addresses/${asked}`, { method: 'DELETE', headers: { 'X-Project-Id': project! } }).then(
        (answer) => answer.status,
      ),
    [address, world.tenant.projectId],
  );
  expect(status).toBe(204);
  await world.visit('Audit log');
  const deleted = page.getByRole('listitem').filter({ hasText: 'Address deleted' }).first();
  await deleted.getByText('by ada@example.com').waitFor();

  // Less from the next request on, and then nothing.
  await world.visit('Addresses');
  await page.getByRole('button', { name: 'Add address' }).waitFor();
  await manage(world, { path: `/members/${id}`, body: { role: 'viewer' } });
  browser.expected.add(403);
  await world.press('Add address');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Address' }).fill(address);
  await page.getByRole('dialog').getByRole('button', { name: 'Add address' }).click();
  await world.say(/role viewer does not have the permission/);
  browser.expected.delete(403);
  await page.reload();
  await page.getByRole('heading', { name: 'Addresses', level: 1 }).waitFor();
  expect(await buttons(/Add|Import/).count()).toBe(0);
  browser.expected.add(401);
  await harness.db.query('DELETE FROM members WHERE id = $1', [id]);
  await page.waitForURL('**/ui/sign-in?**');
}

export async function chooseWorkspace(world: DashboardWorld): Promise<void> {
  const { page, browser, harness, origin } = world;
  const other = await bootstrap(harness.db, { label: 'svc' });
  await manage(world, { path: '/workspace', body: { name: 'First' } });
  await manage(world, { path: '/workspace', body: { name: 'Second' }, key: other.keys.management });
  await manage(world, { path: '/members', body: { email: 'bob@example.com', role: 'owner' } });
  await manage(world, {
    path: '/members',
    body: { email: 'bob@example.com', role: 'viewer' },
    key: other.keys.management,
  });
  await forget(world, '/addresses');
  await goThroughIssuer(world, 'bob');
  await page.getByRole('heading', { name: 'Choose a workspace' }).waitFor();
  browser.expected.delete(401);
  await world.inspect('workspaces');
  await page.getByRole('button', { name: 'Second' }).click();
  await page.waitForURL(`${origin}/ui/addresses`);
  await world.say('No addresses yet');
  expect(
    await page
      .getByRole('main')
      .getByRole('button', { name: /Add|Import/ })
      .count(),
  ).toBe(0);

  // A second page stays where it is when this one goes to the other workspace.
  const beside = await page.context().newPage();
  await beside.goto(`${origin}/ui/members`);
  await beside.getByText('Viewer').waitFor();
  const account = page.getByRole('complementary', { name: 'Navigation' }).getByRole('button').last();
  await account.click();
  await world.say('bob@example.com');
  await page.getByRole('menuitemradio', { name: 'First' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await world.visit('Addresses');
  await page.getByRole('table', { name: 'Addresses' }).getByRole('row').nth(1).waitFor();
  await beside.getByRole('navigation').getByRole('link', { name: 'Projects' }).click();
  await beside.getByRole('main').getByText('Default').first().waitFor();
  expect(
    await beside
      .getByRole('main')
      .getByRole('button', { name: /Add|Rename/ })
      .count(),
  ).toBe(0);
  await beside.close();

  // Signing out ends the session itself.
  const cookies = await page.context().cookies(`${origin}/v1/session`);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const ask = async (): Promise<number> =>
    (await fetch(`${harness.apiUrl}/session`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } }))
      .status;
  expect(await ask()).toBe(200);
  await account.click();
  browser.expected.add(401);
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL('**/ui/sign-in**');
  expect(await ask()).toBe(401);
}
