// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { DashboardWorld } from './dashboard-world.ts';

/** Charts show what was sent, over the period that was chosen, of the project and of one channel. */
export async function readCharts(world: DashboardWorld): Promise<void> {
  const { page, harness, tenant } = world;
  const chart = (name: string, period: string, value: string) =>
    page.getByRole('img', { name: new RegExp(`^${name}, last ${period}: ${value}`) });
  const choose = async (period: string): Promise<void> => {
    await page.getByRole('button', { name: /^Last/ }).click();
    await page.getByRole('menuitemcheckbox', { name: period }).click();
  };
  await world.visit('Overview');
  await chart('Deliveries', '24 hours', '[1-9]').waitFor();
  await chart('Events', '24 hours', '[1-9]').waitFor();
  await chart('Response time', '24 hours', '[0-9.]+ m?s on average').waitFor();
  await choose('30 days');
  await chart('Success rate', '30 days', '[0-9.]+ %').waitFor();
  await choose('1 hour');
  await chart('Deliveries', '1 hour', '[1-9]').waitFor();
  await world.inspect('overview-charts');

  // Other steps' receivers may still get something: the page and the table are read again until they agree.
  await waitFor(async () => {
    const { rows } = await harness.db.query<{ id: string; delivered: number }>(
      `SELECT c.id, sum(a.delivered)::int AS delivered FROM notification_channels c JOIN channel_activity a ON a.channel_id = c.id
       WHERE c.project_id = $1 AND a.minutes = 60 GROUP BY 1 HAVING sum(a.delivered) > 0 ORDER BY 2 DESC LIMIT 1`,
      [tenant.projectId],
    );
    const { id, delivered } = rows[0]!;
    await page.goto(`${world.origin}/ui/channels/${id}`);
    await chart('Deliveries', '24 hours', '').waitFor();
    return chart('Deliveries', '24 hours', `${delivered.toLocaleString()}\\b`).isVisible();
  });
  expect(await chart('Events', '24 hours', '').count()).toBe(0);
  await choose('7 days');
  await chart('Deliveries', '7 days', '[1-9]').waitFor();
  await world.inspect('channel-charts');
}
