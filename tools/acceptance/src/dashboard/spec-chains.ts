import type { DashboardWorld } from './dashboard-world.ts';

export async function useChains(world: DashboardWorld): Promise<void> {
  const { page, chain, harness, browser } = world;
  await world.visit('Chains');
  await page.getByRole('main').getByRole('link').first().click();
  await page.getByRole('heading', { name: 'Reorgs' }).waitFor();
  await world.say('No block that was recorded has left the chain.');

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
  expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual([]);
  await becomeOperator(world);

  // A node that is none, or another chain's, is refused with the reason.
  const url = page.getByRole('textbox', { name: 'Another URL' });
  browser.expected.add(502);
  await url.fill(`${world.origin}/nonsense`);
  await world.press('Set the node');
  await page.getByRole('alert').getByText('The node could not be reached').waitFor();
  browser.expected.delete(502);
  await url.fill(chain.url);
  await world.press('Set the node');
  await world.say('The node serves this chain');
  const node = page.getByRole('list', { name: 'Nodes' }).getByRole('listitem').first();
  await node.getByText(new URL(chain.url).host).waitFor();
  await node.getByText('Serving').waitFor();
  await node.getByText(`Head ${(await chain.readHead()).number.toLocaleString('en')}`).waitFor();
  await world.inspect('chain-nodes');

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
