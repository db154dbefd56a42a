// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { Receiver } from '../receiver.ts';
import type { DashboardWorld } from './dashboard-world.ts';
import { registerCustomers } from './spec-payments.ts';

const TOKEN = 'a-token-that-nobody-sees';

/** A channel whose URL was mistyped is repaired where that is seen, gets a filter, and delivers by both from then on. */
export async function editChannel(world: DashboardWorld): Promise<void> {
  const { page, tenant, browser } = world;
  const [wrong, right] = [new Receiver(), new Receiver()];
  await Promise.all([wrong.start(), right.start()]);
  const { seven, eight } = await registerCustomers(world);
  await world.visit('Channels');
  await world.press('Add channel');
  await page.getByRole('button', { name: /Webhook/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Shop 7');
  await page.getByLabel('URL', { exact: true }).fill(wrong.url);
  await page.getByLabel('Preset').selectOption({ label: 'All transaction events' });
  await world.press('Filters');
  await world.press('Delivery');
  await world.press('Message');
  await world.inspect('channel-form');
  await world.press('Add channel');
  const secret = await world.takeSecret(/^svc_whsec_/);
  for (const receiver of [wrong, right]) receiver.secrets.set(tenant.projectId, secret);
  await page.getByRole('heading', { name: 'Shop 7', level: 1 }).waitFor();

  await world.press('Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit Shop 7' });
  expect(await dialog.getByRole('button', { name: 'Save channel' }).isDisabled()).toBe(true);
  await dialog.getByLabel('URL', { exact: true }).fill(right.url);
  await dialog.getByLabel('Authentication').selectOption({ label: 'Bearer token' });
  await dialog.getByLabel('Token').fill(TOKEN);
  await world.press('Filters');
  await dialog.getByLabel('Groups', { exact: true }).fill('shop-7, shop-9');
  // The preview refuses it, too, as soon as it has stood for a moment.
  browser.expected.add(400);
  await dialog.getByLabel('Minimum amount').fill('a lot');
  await world.press('Delivery');
  await dialog.getByLabel('Headers', { exact: true }).fill('X-Team: payments');
  await dialog.getByLabel('Deliveries per second').fill('50');
  // What the API says stands beside the field that it names, and nowhere else.
  await world.press('Save channel');
  await dialog.locator('[aria-invalid=true]').waitFor();
  expect(await dialog.locator('[aria-invalid=true]').getAttribute('placeholder')).toBe('0.01');
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await world.inspect('channel-edit');
  browser.expected.delete(400);
  await dialog.getByLabel('Minimum amount').fill('');
  await world.press('Save channel');
  await world.say('Shop 7 is saved');
  await world.say('Groups: shop-7, shop-9');
  await world.inspect('channel-edited');

  await deliverFiltered(world, { wrong, right, seven, eight });
  await reopen(world);
  await world.confirm('Archive');
  await page.getByRole('heading', { level: 1 }).getByText('Archived', { exact: true }).waitFor();
  await Promise.all([wrong.stop(), right.stop()]);
}

interface Delivered {
  readonly wrong: Receiver;
  readonly right: Receiver;
  readonly seven: Hex;
  readonly eight: Hex;
}

/** The new URL gets the payment of the group, with the header, and no other payment. */
async function deliverFiltered(
  world: DashboardWorld,
  { wrong, right, seven, eight }: Delivered,
): Promise<void> {
  const { harness } = world;
  const other = await world.pay(3n, eight);
  const wanted = await world.pay(4n, seven);
  await harness.until('the new URL to be told', 60_000, async () =>
    [...right.events.values()].some(({ transactionHash }) => transactionHash === wanted),
  );
  await world.untilTold(other);
  const hashes = [...right.events.values()].map(({ transactionHash }) => transactionHash);
  expect([...new Set(hashes)]).toEqual([wanted]);
  expect([wrong.deliveries, right.faults]).toEqual([0, []]);
  // On record a moment after the receiver has it.
  const readAttempts = () =>
    harness.db.query<{ team: string; authorization: string }>(
      `SELECT a.request->'headers'->>'x-team' AS team, a.request->'headers'->>'authorization' AS authorization
     FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id JOIN notification_channels c ON c.id = d.channel_id
     WHERE c.name = 'Shop 7' LIMIT 1`,
    );
  await harness.until(
    'the attempt to be recorded',
    60_000,
    async () => (await readAttempts()).rows.length > 0,
  );
  expect((await readAttempts()).rows).toEqual([{ team: 'payments', authorization: '***' }]);
}

/** What is stored is shown again, but for secrets, and nothing is to be saved. */
async function reopen(world: DashboardWorld): Promise<void> {
  const { page } = world;
  await world.press('Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit Shop 7' });
  expect(await dialog.getByLabel('Authentication').locator('option:checked').textContent()).toBe(
    'Stored: Bearer token',
  );
  // Filters that are set are open.
  expect(await dialog.getByLabel('Groups', { exact: true }).inputValue()).toBe('shop-7, shop-9');
  expect(await dialog.getByRole('button', { name: 'Save channel' }).isDisabled()).toBe(true);
  expect(await page.content()).not.toContain(TOKEN);
  await world.press('Cancel');
}
