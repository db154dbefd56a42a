// SPDX-License-Identifier: Apache-2.0
import type { DashboardWorld } from './dashboard-world.ts';

interface Proved {
  readonly id: string;
  readonly hash: string;
  readonly block_number: string;
  readonly block_hash: string;
}

/** The last confirmed payment of the project. */
async function findProved({ harness, tenant }: DashboardWorld): Promise<Proved> {
  const { rows } = await harness.db.query<Proved>(
    `SELECT id, hash, block_number, block_hash FROM transactions
     WHERE project_id = $1 AND status = 'confirmed' ORDER BY block_number DESC LIMIT 1`,
    [tenant.projectId],
  );
  return rows[0]!;
}

async function openProof({ page, origin }: DashboardWorld, id: string): Promise<void> {
  await page.goto(`${origin}/ui/transactions/${id}/proof`);
  await page.getByRole('link', { name: 'Proof', exact: true }).waitFor();
}

/** The proof of a payment, against the node's own word, a wrong one, and none. */
export async function verifyProof(world: DashboardWorld): Promise<void> {
  const { page, origin, chain, browser } = world;
  const { id, block_number } = await findProved(world);
  await page.goto(`${origin}/ui/transactions/${id}`);
  await page.getByRole('link', { name: 'Proof', exact: true }).click();
  await world.say('A proof shows inclusion, not completeness.');
  await page.getByText('mpt', { exact: true }).waitFor();
  await page
    .getByText(/\d+ nodes? · [\d,]+ bytes/)
    .first()
    .waitFor();
  await world.inspect('proof');

  const field = page.getByLabel(`Hash of block ${Number(block_number).toLocaleString('en')}`);
  await world.press('Check structure only');
  await world.say('Structure only, not verified');
  await world.inspect('proof-structure');
  expect(await page.getByText('Verified against the hash that you pasted').count()).toBe(0);

  // The second source: the node itself.
  const { hash } = await chain.rpc<{ readonly hash: string }>('eth_getBlockByNumber', [
    `0x${Number(block_number).toString(16)}`,
    false,
  ]);
  await field.fill(hash.toUpperCase().slice(2));
  await field.press('Enter');
  await world.say('Verified against the hash that you pasted');
  await page.getByRole('list', { name: 'Transfers in the proof' }).getByText('of the native coin').waitFor();
  await world.inspect('proof-verified');

  await field.fill(`0x${'12'.repeat(32)}`);
  expect(await page.getByText('Verified against the hash that you pasted').count()).toBe(0);
  await world.press('Verify proof');
  await world.say('The hash that you pasted is not the hash of the block in this proof.');
  await world.inspect('proof-refused');

  const coming = page.waitForEvent('download');
  await world.press('Download JSON');
  expect((await coming).suggestedFilename()).toMatch(/^proof-0x[0-9a-f]{64}\.json$/);
  expect(JSON.parse(await browser.readFile())).toMatchObject({ type: 'mpt', block_hash: hash });
}

/** Why there is none: a block that the node does not have, no block, a chain that covers nothing, and a proof that lies. */
export async function missProof(world: DashboardWorld): Promise<void> {
  const { page, harness, browser } = world;
  const { id, block_hash, block_number } = await findProved(world);
  const set = (column: string, value: string) =>
    harness.db.query(`UPDATE transactions SET ${column} = $2 WHERE id = $1`, [id, value]);
  browser.expected.add(502);
  await set('block_hash', `0x${'12'.repeat(32)}`);
  await openProof(world, id);
  await world.say(`no node of the chain has block ${block_number}`);
  await world.inspect('proof-pruned');
  await set('block_hash', block_hash);
  await page.reload();
  browser.expected.delete(502);
  await page.getByText('mpt', { exact: true }).waitFor();

  await set('status', 'reorged');
  await openProof(world, id);
  await world.say('No proof: not in a block');
  await world.inspect('proof-no-block');
  await set('status', 'confirmed');

  // Stand-ins: no chain of this stack answers so.
  const proof = await readProof(world, id);
  const answer = async (body: object): Promise<void> => {
    await page.route('**/v1/**/proof', (route) => route.fulfill({ json: body }));
    await openProof(world, id);
  };
  const reason = 'Blocks of this chain cover no tree of transactions.';
  await answer({
    ...proof,
    type: 'none',
    header: null,
    branch: null,
    item: null,
    reason,
    signatures: ['5gri'],
  });
  await world.say(reason);
  await page.getByRole('heading', { name: 'No proof exists' }).waitFor();
  expect(await page.getByRole('button', { name: 'Verify proof' }).count()).toBe(0);
  await world.inspect('proof-none');
  await page.unroute('**/v1/**/proof');

  const transaction = proof.item.transaction.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  await answer({ ...proof, item: { ...proof.item, transaction } });
  await page.getByLabel(/^Hash of block/).fill(block_hash);
  await world.press('Verify proof');
  await world.say(/The proof does not hold: branch\.transaction/);
  await page.unroute('**/v1/**/proof');
}

async function readProof(
  { harness, tenant }: DashboardWorld,
  id: string,
): Promise<{ item: { transaction: string } }> {
  const headers = { 'x-api-key': tenant.keys.api };
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`${harness.apiUrl}/transactions/${path}`, { headers })).json();
  const { chain_gid, hash } = (await ask(id)) as { chain_gid: string; hash: string };
  return (await ask(`${chain_gid}/${hash}/proof`)) as { item: { transaction: string } };
}

/** Where the network names an explorer; one of a stand-in, since this chain has none. */
export async function openExplorer(world: DashboardWorld): Promise<void> {
  const { page, origin, chain } = world;
  const { id, hash, block_number } = await findProved(world);
  const network = (await (
    await fetch(`${world.harness.apiUrl}/networks/${chain.gid}`, {
      headers: { 'x-api-key': world.tenant.keys.api },
    })
  ).json()) as object;
  const explorer = {
    address: 'https://explorer.example.com/address/{address}',
    transaction: 'https://explorer.example.com/tx/{hash}',
    block: 'https://explorer.example.com/block/{number}',
  };
  await page.route('**/v1/networks/*', (route) => route.fulfill({ json: { ...network, explorer } }));
  await page.goto(`${origin}/ui/transactions/${id}`);
  const link = page.getByRole('link', { name: 'View transaction in the explorer' });
  expect(await link.getAttribute('href')).toBe(`https://explorer.example.com/tx/${hash}`);
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(await page.getByRole('link', { name: 'View block in the explorer' }).getAttribute('href')).toBe(
    `https://explorer.example.com/block/${block_number}`,
  );
  await page.getByRole('link', { name: 'View address in the explorer' }).first().waitFor();
  await world.inspect('trace-explorer');
  await page.unroute('**/v1/networks/*');
}

/** Only kinds for programs have the choice; what is chosen is what the API stores and the channel's page says. */
export async function includeProofs(world: DashboardWorld): Promise<void> {
  const { page, harness } = world;
  await world.visit('Channels');
  await world.press('Add channel');
  await page.getByRole('button', { name: /Slack/ }).click();
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(await page.getByLabel('Proof of inclusion').count()).toBe(0);
  await world.press('Back');
  await page.getByRole('button', { name: /Webhook/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Proved');
  await page.getByLabel('URL', { exact: true }).fill(harness.receiver.url);
  await world.press('Message');
  await page.getByLabel('Proof of inclusion').selectOption('inline');
  await world.say('Transaction events contain the proof itself');
  await world.inspect('channel-proof');
  await world.press('Add channel');
  await world.takeSecret(/^svc_whsec_/);
  await page.getByRole('heading', { name: 'Proved' }).waitFor();
  await world.say(/^Inline\. Transaction events contain the proof itself/);
  const { rows } = await harness.db.query<{ included: string }>(
    "SELECT config->>'include_proof' AS included FROM notification_channels WHERE name = 'Proved'",
  );
  expect(rows).toEqual([{ included: 'inline' }]);
  await world.confirm('Archive');
  await page.getByRole('heading', { level: 1 }).getByText('Archived', { exact: true }).waitFor();
}
