// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

export async function useEvents(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.visit('Events');
  await page.getByRole('button', { name: 'Type' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Notification channel failed' }).click();
  await page.keyboard.press('Escape');
  await page.waitForURL(/types=/);
  const table = page.getByRole('table', { name: 'Events' });
  await table.getByText('channel.failed', { exact: true }).waitFor();
  // What was shown before stays until the answer comes.
  await table.getByText('transaction.detected').first().waitFor({ state: 'detached' });
  await world.inspect('events');
  const { name, lines } = await world.export('JSON lines');
  expect([name, lines.map((line) => (JSON.parse(line) as { type: string }).type)]).toEqual([
    'events.ndjson',
    ['channel.failed'],
  ]);
  await world.press('Clear');
  await table.getByText('transaction.detected').first().waitFor();
}

export async function useAddresses(world: DashboardWorld): Promise<void> {
  const { page, origin, chain } = world;
  await world.visit('Transactions');
  expect((await world.export('CSV')).lines[0]).toContain('hash');
  await page.goto(`${origin}/ui/addresses/${chain.actor.accounts[1]}`);
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await world.press('Edit');
  await page.getByLabel('Groups', { exact: true }).fill('vip, eu, vip');
  await world.inspect('address-edit');
  await world.press('Save');
  await page.getByRole('link', { name: 'vip' }).click();
  await page.waitForURL(/groups=/);
  await page.getByRole('table', { name: 'Addresses' }).getByText('Customer 42').waitFor();
  expect((await world.export('CSV')).lines).toHaveLength(2);
  await page.getByRole('link', { name: /^0x/ }).first().click();

  await world.press('Import history');
  await page.getByRole('dialog').getByLabel('From block', { exact: true }).fill('1');
  await world.inspect('address-history');
  await page.getByRole('dialog').getByRole('button', { name: 'Read', exact: true }).click();
  await chain.finalize();
  await page.getByText(/\d+ found/).waitFor();
  await world.inspect('address-with-history');

  await world.press('Pause');
  await page.getByText('Paused', { exact: true }).waitFor();
  await world.press('Resume');
  await page.getByText('Monitored', { exact: true }).waitFor();
}

export async function useAssets(world: DashboardWorld): Promise<void> {
  const { page, chain, browser } = world;
  const gid = `${chain.gid}/erc20:${chain.actor.deployed.token}`;
  await world.visit('Assets');
  await page.getByRole('table', { name: 'Assets' }).waitFor();
  await world.press('Add token');
  browser.expected.add(422);
  await page.getByLabel('Asset', { exact: true }).fill(`${chain.gid}/erc20:${chain.actor.accounts[0]}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Add token' }).click();
  // What the API says, and under which id its log has it.
  await page.getByRole('alert').getByText('is not a token').waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Copy request ID' }).waitFor();
  browser.expected.delete(422);
  await page.getByLabel('Asset', { exact: true }).fill(gid);
  await page.getByRole('dialog').getByRole('button', { name: 'Add token' }).click();
  await world.say(/ added$/);
  const row = page.getByRole('row').filter({ hasText: 'erc20' });
  await world.inspect('assets');
  await row.getByRole('button', { name: 'Archive' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Archived' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Archived only' }).click();
  await row.getByRole('button', { name: 'Restore' }).click();
  await world.say('No archived assets');
}
