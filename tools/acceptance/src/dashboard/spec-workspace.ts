// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

export async function useKeys(world: DashboardWorld): Promise<void> {
  const { page, harness } = world;
  const ask = async (key: string): Promise<number> =>
    (await fetch(`${harness.apiUrl}/addresses`, { headers: { 'x-api-key': key } })).status;
  await world.visit('Keys');
  await world.press('Create key');
  await page.getByLabel('Name', { exact: true }).fill('Backend');
  await world.inspect('key-make');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const old = await world.takeSecret(/^svc_api_/);
  expect(await ask(old)).toBe(200);

  const rows = page.getByRole('row').filter({ hasText: 'Backend' });
  await rows.getByRole('button', { name: 'Roll' }).click();
  await page.getByRole('dialog').getByRole('combobox').selectOption('0');
  await world.inspect('key-roll');
  await page.getByRole('dialog').getByRole('button', { name: 'Roll', exact: true }).click();
  const rolled = await world.takeSecret(/^svc_api_/);
  expect([await ask(rolled), rolled === old]).toEqual([200, false]);
  await harness.until('the old key to end', 30_000, async () => (await ask(old)) === 401);
  await world.inspect('keys-rolled');
}

export async function useProjects(world: DashboardWorld): Promise<void> {
  const { page, browser } = world;
  await world.visit('Projects');
  await world.press('Add project');
  await page.getByLabel('Name', { exact: true }).fill('Second');
  await page.getByRole('dialog').getByRole('button', { name: 'Add project' }).click();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  await row('Second').getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Third');
  await world.press('Save');
  await row('Third').waitFor();
  await world.inspect('projects');
  // What still has addresses is kept, in the words of the API.
  browser.expected.add(409);
  await row('Default').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Copy request ID' }).waitFor();
  browser.expected.delete(409);
  await row('Third').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row('Third').waitFor({ state: 'detached' });
}

export async function useMembers(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('Members');
  await world.say('No members yet');
  await world.inspect('members-empty');
  await world.press('Add member');
  await page.getByLabel('E-mail', { exact: true }).fill('ada@example.com');
  await world.inspect('member-add');
  await world.press('Save');
  const row = page.getByRole('row').filter({ hasText: 'ada@example.com' });
  await row.getByText('Viewer').waitFor();
  await row.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Role', { exact: true }).selectOption('developer');
  await world.press('Save');
  await row.getByText('Developer').waitFor();
  await world.inspect('members');
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await world.say('No members yet');

  await world.visit('Audit log');
  const changes = page.getByRole('list', { name: 'Changes' });
  const changed = changes.getByRole('listitem').filter({ hasText: 'Member changed' });
  await changed.locator('summary').click();
  await changed.locator('del', { hasText: 'viewer' }).waitFor();
  await changed.locator('ins', { hasText: 'developer' }).waitFor();
  for (const action of ['Key rolled', 'Signing secret rotated', 'Incident accepted', 'Project renamed'])
    await changes.getByText(action).waitFor();
  await world.inspect('audit');
}
