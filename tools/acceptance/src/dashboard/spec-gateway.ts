// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

export async function useGateway(world: DashboardWorld): Promise<void> {
  const { page, harness, tenant, browser } = world;
  await world.visit('RPC gateway');
  await world.say('No calls');
  await page.getByRole('list', { name: 'Networks' }).getByText('Healthy').waitFor();
  await world.inspect('gateway-empty');
  await page.getByLabel('RPC key', { exact: true }).fill('nonsense');
  await page.getByLabel('Method', { exact: true }).fill('eth_chainId');
  browser.expected.add(401);
  await world.press('Call');
  await world.say(/Status 401/);
  browser.expected.delete(401);
  await page.getByLabel('RPC key', { exact: true }).fill(tenant.keys.rpc);
  await world.press('Call');
  await world.say(/Status 200, \d+ ms/);
  await world.say(/"0x7a69"/);
  await page.getByLabel('Parameters', { exact: true }).fill('nonsense');
  await world.say('expected JSON: an array or an object');

  await harness.until('the call to be counted', 30_000, async () => {
    const { rows } = await harness.db.query('SELECT FROM rpc_usage WHERE workspace_id = $1', [
      tenant.workspaceId,
    ]);
    return rows.length > 0;
  });
  await page.reload();
  await page.getByRole('table', { name: 'Calls by method' }).getByText('eth_chainId').waitFor();
  await page.getByRole('img', { name: '1 call in 24 hours' }).waitFor();
  await world.inspect('gateway');
}

export async function usePlayground(world: DashboardWorld): Promise<void> {
  const { page, chain, harness } = world;
  await world.visit('Playground');
  await world.say('No payments yet');
  await page.getByRole('combobox', { name: 'Chain' }).waitFor();
  await world.inspect('playground-empty');
  await world.press('Send');
  const payments = page.getByRole('list', { name: 'Payments' });
  await payments.getByText(/Sent, not detected yet|Pending|Detected/).waitFor();
  await chain.actor.mine();
  await payments.getByText('Detected').waitFor();
  await chain.finalize();
  await harness.waitForCursor();
  await payments.getByText('Confirmed').waitFor();
  await world.inspect('playground');
  await payments.getByRole('link', { name: 'View payment' }).click();
  await page
    .getByRole('list', { name: 'Steps of this payment' })
    .getByText('transaction.confirmed')
    .waitFor();
  // It pays nobody but whom the page names, and no page but this one.
  const refused = await fetch(`${await readPlayground(world)}/payments`, {
    method: 'POST',
    headers: { origin: 'https://elsewhere.example', 'content-type': 'application/json' },
    body: JSON.stringify({ chain_gid: chain.gid, to: chain.actor.accounts[2] }),
  });
  expect(refused.status).toBe(403);
}

async function readPlayground({ harness, tenant }: DashboardWorld): Promise<string> {
  const response = await fetch(`${harness.apiUrl}/session`, { headers: { 'x-api-key': tenant.keys.api } });
  return ((await response.json()) as { playground_url: string }).playground_url;
}
