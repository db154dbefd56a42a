// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

/** The search box finds payments by the first digits of their hash, and is the way to pages and actions. */
export async function usePalette(world: DashboardWorld): Promise<void> {
  const { page, harness, tenant } = world;
  const box = page.getByRole('combobox', { name: 'Search' });
  const write = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await box.fill(text);
  };
  const { rows } = await harness.db.query<{ id: string; hash: string; event_id: string }>(
    `SELECT t.id, t.hash, e.event_id FROM transactions t JOIN event_log e ON e.transaction_id = t.id
     WHERE t.project_id = $1 AND e.type = 'transaction.confirmed' LIMIT 1`,
    [tenant.projectId],
  );
  const { id, hash, event_id: eventId } = rows[0]!;
  expect(await page.getByRole('complementary').locator('kbd').textContent()).toBe('Ctrl K');

  await write(hash.slice(0, 8));
  await page.getByRole('option', { name: new RegExp(`^${hash.slice(0, 9)}…`) }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/ui/transactions/${id}`);

  // Types of events are shown whole.
  await write(eventId);
  await page.getByRole('option', { name: /^transaction\.confirmed/ }).waitFor();
  await page.keyboard.press('Escape');

  // Nothing written: all that may be gone to or done.
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Audit log Page' }).waitFor();
  await world.inspect('search-commands');
  await box.fill('chai');
  await page.getByRole('option', { name: 'Chains Page', exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Chains', level: 1 }).waitFor();

  await write('add addr');
  await page.getByRole('option', { name: 'Add address Action' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Add an address' }).waitFor();
  // Once: a reload does not open it again.
  await page.reload();
  await page.getByRole('heading', { name: 'Addresses', level: 1 }).waitFor();
  await page.getByRole('table', { name: 'Addresses' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);

  await write('dark th');
  await page.getByRole('option', { name: 'Dark theme Action' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme=dark]').waitFor();
  await write('system');
  await page.getByRole('option', { name: 'System theme Action' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('html[data-theme=light]').waitFor();

  await write('xyzzy');
  await world.say(/No results for “xyzzy” in this project/);
  await world.inspect('search-nothing');
  await page.keyboard.press('Escape');
}

/** Chains have the names and logos of their networks, and are found by them. */
export async function findChains(world: DashboardWorld): Promise<void> {
  const { page, chain, harness } = world;
  const api = await fetch(`${harness.apiUrl}/blockchains/${chain.gid}`, {
    headers: { 'x-api-key': world.tenant.keys.api },
  });
  const { display_name: name } = (await api.json()) as { display_name: string };
  await world.visit('Chains');
  const card = page.getByRole('listitem').filter({ hasText: chain.gid });
  await card.getByRole('link', { name, exact: true }).waitFor();
  const logo = card.locator('img');
  expect(await logo.getAttribute('src')).toMatch(/^\/logos\/[a-z0-9-]+\.svg$/);
  await page.getByLabel('Search chains').fill('nothing so called');
  await world.say(/No chains match/);
  await card.waitFor({ state: 'detached' });
  await page.getByLabel('Search chains').fill(name.slice(0, 4).toUpperCase());
  await card.waitFor();
  await world.inspect('chains-search');
  await world.visit('Transactions');
  await page.getByRole('table').getByText(name, { exact: true }).first().waitFor();
}
