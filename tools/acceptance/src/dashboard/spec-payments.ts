// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import type { DashboardWorld } from './dashboard-world.ts';

/** Two customers of the project, each in a group of its own; the same ones however often they are asked for. */
export async function registerCustomers({
  harness,
  tenant,
  chain,
}: DashboardWorld): Promise<{ seven: Hex; eight: Hex }> {
  const [seven, eight] = [chain.actor.accounts[6]!, chain.actor.accounts[7]!];
  for (const [value, label, group] of [
    [seven, 'Seventh customer', 'shop-7'],
    [eight, 'Eighth customer', 'shop-8'],
  ]) {
    const response = await fetch(`${harness.apiUrl}/addresses/external`, {
      method: 'POST',
      headers: { 'x-api-key': tenant.keys.api, 'content-type': 'application/json' },
      body: JSON.stringify({ value, chain_family: chain.family, label, groups: [group] }),
    });
    expect([201, 409]).toContain(response.status);
  }
  return { seven, eight };
}

/** Whose payment it is, without opening one; and the amount on a phone. */
export async function findPayments(world: DashboardWorld): Promise<void> {
  const { page, browser } = world;
  const { seven, eight } = await registerCustomers(world);
  await world.pay(70_000_000_000_000_000n, seven);
  const hash = await world.pay(80_000_000_000_000_000n, eight);
  await world.visit('Transactions');
  const table = page.getByRole('table', { name: 'Transactions' });
  await table.getByRole('link', { name: 'Seventh customer' }).first().waitFor();
  await table.getByRole('link', { name: 'Eighth customer' }).first().waitFor();
  await world.inspect('transactions-customers');

  await page.getByLabel('Group').fill('shop-8');
  await page.getByLabel('Group').press('Enter');
  await page.waitForURL(/groups=/);
  await page.reload();
  await table.getByRole('link', { name: 'Eighth customer' }).first().waitFor();
  expect(await table.getByText('Seventh customer').count()).toBe(0);
  await world.press('Clear');
  await page.getByLabel('Customer').fill('eighth CUST');
  await page.getByLabel('Customer').press('Enter');
  await page.waitForURL(/search=/);
  await table.getByText('0.08').first().waitFor();
  await table.getByText('0.07').waitFor({ state: 'detached' });

  await page.setViewportSize({ width: 375, height: 700 });
  const box = await table.getByText('0.08').first().boundingBox();
  expect(box!.x).toBeGreaterThanOrEqual(0);
  expect(box!.x + box!.width).toBeLessThanOrEqual(375);
  expect(await browser.overflow()).toBe(0);
  expect((await table.boundingBox())!.width).toBeLessThanOrEqual(375);
  await page.setViewportSize({ width: 1_280, height: 900 });

  await table.getByRole('link', { name: new RegExp(`^${hash.slice(0, 9)}`) }).click();
  const way = page.getByRole('list', { name: 'Steps of this payment' });
  await way
    .getByRole('link', { name: /^Eighth customer · / })
    .first()
    .waitFor();
  await world.inspect('trace-customer');
  await page.getByRole('main').getByRole('link', { name: 'Eighth customer', exact: true }).click();
  // In its display form.
  await page.waitForURL(new RegExp(`/ui/addresses/${eight}$`, 'i'));
}
