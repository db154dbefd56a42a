// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

export async function useChains(world: DashboardWorld): Promise<void> {
  const { page, chain, harness, browser } = world;
  await world.visit('Chains');
  await page.getByRole('main').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Reorgs' }).waitFor();
  await world.say(/No reorgs recorded/);

  // Two blocks are replaced by two others and one more.
  await chain.actor.mine(3);
  await harness.waitForCursor();
  const { number: head } = await chain.readHead();
  await chain.actor.reorg(2, () => false);
  await chain.actor.mine();
  await harness.waitForCursor();
  const drawing = page.getByRole('img', { name: `2 blocks from ${head - 1} to ${head} left the chain` });
  await drawing.waitFor();
  expect(await drawing.locator('rect').count()).toBe(6);
  await world.inspect('chain-reorg');

  // Chains are the operator's: nobody else is offered to change one.
  expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual(['Save policy']);
  await becomeOperator(world);

  // A node that is none, or another chain's, is refused with the reason.
  const url = page.getByRole('textbox', { name: 'Replacement URL' });
  browser.expected.add(502);
  await url.fill(`${world.origin}/nonsense`);
  await world.press('Save node');
  await page.getByRole('alert').getByText('The node could not be reached').waitFor();
  browser.expected.delete(502);
  await url.fill(chain.url);
  await world.press('Save node');
  await world.say('Chain ID verified. Node saved.');
  const node = page.getByRole('list', { name: 'Nodes' }).getByRole('listitem').first();
  await node.getByText(new URL(chain.url).host).waitFor();
  await node.getByText('Serving', { exact: true }).waitFor();
  await node.getByText(`Head ${(await chain.readHead()).number.toLocaleString('en')}`).waitFor();
  await world.inspect('chain-nodes');
  await useFurtherNode(world);

  // What becomes of transactions that cannot be proved is the operator's decision.
  const unproved = page.getByRole('combobox', { name: 'After the block is final' });
  expect(await unproved.inputValue()).toBe('hold');
  await unproved.selectOption('deliver');
  await world.inspect('chain-unproved');
  await world.press('Save setting');
  await world.say('Unproved transactions are delivered');
  const { rows } = await harness.db.query('SELECT unproved FROM blockchains WHERE gid = $1', [chain.gid]);
  expect(rows).toEqual([{ unproved: 'deliver' }]);
  await unproved.selectOption('hold');
  await world.press('Save setting');
  await world.say('Unproved transactions are held');

  await harness.db.query(
    `INSERT INTO incidents (chain_gid, kind, block_number, last_block_number, block_hash, expected, got) VALUES ($1, 'transaction-type:0x7d', $2, $2, '0x00', 'transaction types 0x0 to 0x4', 'transaction type 0x7d')`,
    [chain.gid, head],
  );
  const incidents = page.getByRole('list', { name: 'Incidents' });
  await incidents.getByText('transaction-type:0x7d').waitFor();
  await world.inspect('chain-incident');
  await world.confirm('Accept');
  await incidents.getByText('Accepted').waitFor();
}

/** There is one workspace that may change chains; its first key may do everything. */
async function becomeOperator({ harness, tenant, page }: DashboardWorld): Promise<void> {
  await harness.db.query('UPDATE workspaces SET is_operator = false WHERE is_operator');
  await harness.db.query('UPDATE workspaces SET is_operator = true WHERE id = $1', [tenant.workspaceId]);
  await harness.db.query(
    `UPDATE api_keys SET permissions = permissions || ARRAY['mgt:quota:read', 'mgt:quota:write'] WHERE workspace_id = $1 AND type = 'mgt'`,
    [tenant.workspaceId],
  );
  await page.reload();
}

/** A node beside the first one: tested, used by the services, weighed, and removed. */
async function useFurtherNode(world: DashboardWorld): Promise<void> {
  const { page, chain, harness, browser, origin } = world;
  const { origin: url } = new URL(chain.url);
  const field = page.getByLabel('Further node', { exact: true });
  browser.expected.add(502);
  await field.fill(`${origin}/nonsense`);
  await world.press('Add node');
  await page.getByRole('alert').getByText('The node could not be reached').waitFor();
  browser.expected.delete(502);
  await field.fill(`${url}/?key=s3cret`);
  await world.press('Add node');
  await world.say('Chain ID verified. Node added.');
  const further = page.getByRole('list', { name: 'Further nodes' }).getByRole('listitem');
  await further.getByText(url, { exact: true }).waitFor();
  // The ingestor asks both.
  const serving = page.getByRole('list', { name: 'Nodes', exact: true }).getByRole('listitem');
  await serving.nth(1).getByText('Serving', { exact: true }).waitFor();
  expect(await page.content()).not.toContain('s3cret');
  await world.inspect('chain-further-node');
  await further.getByLabel('Weight').fill('5');
  await world.press('Save weight');
  await world.say('Weight saved');
  const { rows } = await harness.db.query('SELECT weight FROM chain_endpoints WHERE chain_gid = $1', [
    chain.gid,
  ]);
  expect(rows).toEqual([{ weight: 5 }]);
  await world.confirm('Remove');
  await world.say('Node removed');
  await further.waitFor({ state: 'detached' });
}

/** A policy of the project: set, told by the trace of a payment, and taken back. */
export async function usePolicy(world: DashboardWorld): Promise<void> {
  const { page, chain, harness } = world;
  const openChain = async (): Promise<void> => {
    await world.visit('Chains');
    await page.getByRole('main').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Confirmation policy' }).waitFor();
  };
  await openChain();
  await world.say('No policy of this project: the default of the chain applies.');
  await page.getByLabel('Confirm a transaction').selectOption('depth');
  await page.getByLabel('Number of confirmations').fill('9');
  await world.inspect('chain-policy');
  await world.press('Save policy');
  await world.say(/^Confirmed after 9 confirmations\./);
  const hash = await world.pay();
  const { rows } = await harness.db.query<{ id: string }>('SELECT id FROM transactions WHERE hash = $1', [
    hash,
  ]);
  await page.goto(`${world.origin}/ui/transactions/${rows[0]!.id}`);
  await world.say(/This project requires 9 confirmations\./);
  await chain.actor.mine(9);
  await world.say('Confirmed: 9 of 9 confirmations (project policy)');
  await world.inspect('trace-policy');
  await openChain();
  await page.getByLabel('Confirm a transaction').selectOption('none');
  await world.press('Save policy');
  await world.say('No policy of this project: the default of the chain applies.');
}
