// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { Receiver } from '../receiver.ts';
import type { DashboardWorld } from './dashboard-world.ts';

async function openChannel(world: DashboardWorld): Promise<void> {
  await world.visit('Channels');
  await world.page.getByRole('link', { name: 'Orders' }).click();
  await world.page.getByRole('heading', { name: 'Orders' }).waitFor();
}

/** The status that stands beside the name of the channel. */
async function untilStatus({ page }: DashboardWorld, status: string): Promise<void> {
  await page.getByRole('heading', { level: 1 }).getByText(status, { exact: true }).waitFor();
}

export async function rotateSecret(world: DashboardWorld): Promise<void> {
  const { page, harness, tenant } = world;
  await openChannel(world);
  await world.confirm('Rotate');
  await page.getByRole('heading', { name: 'The new secret' }).waitFor();
  const secret = await world.takeSecret(/^svc_whsec_/);
  await world.say(/for another (24 h 0 min|23 h 59 min)/);
  await world.inspect('channel-rotating');
  // The receiver, which knows the old one alone, still believes what comes.
  await world.untilTold(await world.pay());
  await world.confirm('End the overlap');
  await page.getByRole('button', { name: 'Rotate', exact: true }).waitFor();
  harness.receiver.secrets.set(tenant.projectId, secret);
  await world.untilTold(await world.pay());
}

export async function holdEvents(world: DashboardWorld): Promise<void> {
  const { page, harness } = world;
  await openChannel(world);
  harness.receiver.status = 410;
  await world.pay();
  await untilStatus(world, 'Failed');
  await page.getByRole('heading', { name: 'Past failures' }).waitFor();
  const held = await world.pay();
  harness.receiver.status = 204;
  await world.press('Restore');
  await page.getByLabel(/\d+ held events?/).waitFor();
  await world.inspect('channel-restore');
  await world.press('Restore');
  await untilStatus(world, 'Active');
  await world.untilTold(held);
  await world.inspect('channel-given-up');

  await world.confirm('Archive');
  await untilStatus(world, 'Archived');
  const discarded = await world.pay();
  await world.press('Restore');
  await page.getByLabel(/\d+ held events?/).selectOption('discard');
  await world.press('Restore');
  await untilStatus(world, 'Active');
  await page.getByRole('table', { name: 'Deliveries' }).getByText('Discarded').first().waitFor();
  const events = [...harness.receiver.events.values()];
  expect(events.filter(({ transactionHash }) => transactionHash === discarded)).toEqual([]);

  // All of them at once, the discarded one as well.
  await world.press('Recover');
  await world.inspect('channel-recover');
  await world.press('Retry deliveries');
  await world.untilTold(discarded);

  const { name, lines } = await world.export('CSV');
  const { rows } = await harness.db.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM deliveries d JOIN notification_channels c ON c.id = d.channel_id WHERE c.name = $1 AND c.project_id = $2',
    ['Orders', world.tenant.projectId],
  );
  expect([name, lines.length, lines[0]]).toEqual([
    'deliveries.csv',
    rows[0]!.count + 1,
    expect.stringContaining('event_type'),
  ]);
}

export async function killReceiver(world: DashboardWorld): Promise<void> {
  const { page, harness } = world;
  const { receiver } = harness;
  await openChannel(world);
  const port = Number(new URL(receiver.url).port);
  await receiver.stop();
  const hash = await world.pay();
  await untilStatus(world, 'Failing');
  await world.say(/Failing since/);
  await world.say(/Next try (now|in \d+ s)/);
  expect(await page.getByText('Given up').count()).toBe(0);
  await page
    .getByRole('table', { name: 'Deliveries' })
    .getByText('held until the channel recovers')
    .first()
    .waitFor();
  await world.inspect('channel-failing');
  await receiver.start(port);
  await page.getByRole('table').getByRole('button', { name: 'Redeliver' }).first().click();
  await world.untilTold(hash);
  await untilStatus(world, 'Active');
}

/** A sandbox is made by the form, and its receiver meets what it will meet one day. */
export async function rehearse(world: DashboardWorld): Promise<void> {
  const { page, tenant, harness } = world;
  const receiver = new Receiver();
  await receiver.start();
  await world.visit('Channels');
  await world.press('Add channel');
  await page.getByRole('button', { name: /Webhook/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Rehearsals');
  await page.getByLabel('URL', { exact: true }).fill(receiver.url);
  await world.press('Filters');
  // Last week is counted as the channel would be given it, once somebody stops typing.
  await page.getByLabel('Expression').fill('event.type == "transaction.confirmed"');
  const { rows } = await harness.db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM event_log WHERE project_id = $1 AND type = 'transaction.confirmed'`,
    [tenant.projectId],
  );
  const { count } = rows[0]!;
  expect(count).toBeGreaterThan(0);
  await page
    .getByText(`Last week this channel would have had ${count} event${count === 1 ? '' : 's'}.`)
    .waitFor();
  await world.press('Delivery');
  await page.getByLabel('Order', { exact: true }).selectOption({ index: 1 });
  await page.getByLabel('Sandbox').check();
  await world.inspect('channel-sandbox-form');
  await world.press('Add channel');
  receiver.secrets.set(tenant.projectId, await world.takeSecret(/^svc_whsec_/));
  await page.getByRole('heading', { name: 'Rehearsals', level: 1 }).waitFor();
  const deliveries = page.getByRole('table', { name: 'Deliveries' });
  await page.getByLabel('Scenario').selectOption('reorg');
  await world.press('Rehearse');
  await world.say('Sending 3 events');
  await deliveries.getByText('transaction.reorged').waitFor();
  await page.getByLabel('Scenario').selectOption('duplicate');
  await world.press('Rehearse');
  await world.say('Sending 1 event');
  await waitFor(() => receiver.deliveries === 5, {
    message: () => `5 deliveries, got ${receiver.deliveries}`,
  });
  await world.inspect('channel-rehearsed');
  const types = [...receiver.events.values()].map(({ type }) => type);
  expect(types).toEqual([
    ...['transaction.detected', 'transaction.confirmed', 'transaction.reorged'],
    'transaction.confirmed',
  ]);
  expect(receiver.faults).toEqual([]);
  await world.confirm('Archive');
  await untilStatus(world, 'Archived');
  await receiver.stop();
}
