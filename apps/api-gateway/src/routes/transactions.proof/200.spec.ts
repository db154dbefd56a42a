// SPDX-License-Identifier: Apache-2.0
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { verifyTransaction, type Proof } from '@chainwatch/verify';
import { startSpecWorld, type Client, type SpecWorld } from '../../spec-support/spec-world.ts';
import { startNode, type SpecNode } from '../../spec-support/start-node.ts';

const gid = 'eip155:31337';
const payee = `0x${'a1'.repeat(20)}`;
/** Its node takes requests and answers none. */
const stuckGid = 'eip155:1';

let world: SpecWorld;
let node: AnvilHandle;
let stuck: SpecNode;
let hash: string;
let block: { readonly hash: string; readonly number: number };
beforeAll(async () => {
  stuck = await startNode(() => new Promise(() => undefined));
  [world, node] = await Promise.all([
    startSpecWorld({ settings: { chainEndpoints: { [stuckGid]: [stuck.url] }, nodeTimeoutMs: 120_000 } }),
    startAnvil(),
  ]);
  for (const chain of [gid, stuckGid])
    await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
  const [from] = await node.rpc<[string]>('eth_accounts');
  hash = await node.rpc<string>('eth_sendTransaction', [{ from, to: payee, value: '0x7' }]);
  // The node answers before it mines.
  const mined = await waitFor(() =>
    node.rpc<{ blockHash: string; blockNumber: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  block = { hash: mined.blockHash, number: Number(mined.blockNumber) };
  await insert(hash, 'confirmed', block);
});
afterAll(async () => {
  stuck.stop();
  await node.stop();
  await world.stop();
});

async function insert(
  txHash: string,
  status: string,
  at?: { readonly hash: string; readonly number: number },
  { projectId, chainGid = gid }: { readonly projectId?: string; readonly chainGid?: string } = {},
) {
  await world.db.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, required_confirmations) VALUES (gen_random_uuid(), $1, $2, $3, $4, 'in', $5, $6, 1)`,
    [projectId ?? world.project.projectId, chainGid, txHash, status, at?.number ?? null, at?.hash ?? null],
  );
}
const ask = (txHash: string) => world.api.get(`/transactions/${gid}/${txHash}/proof`);

it('is 422 while the chain has no node', async () => {
  await ask(hash).expect(422);
});

it('shows the transaction to whoever has the hash of the block', async () => {
  await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: node.url }).expect(200);
  const { body } = await ask(hash).expect(200);
  expect(body).toMatchObject({
    type: 'mpt',
    chain_gid: gid,
    hash,
    block_hash: block.hash,
    block_number: block.number,
    reason: null,
    finality: { status: 'confirmed' },
  });
  expect(await verifyTransaction(body as Proof, { trustedBlockHash: block.hash })).toMatchObject({
    transfers: [{ type: 'native', to: payee, amountRaw: 7n }],
  });
});

it('is 404 for a transaction of others, 409 for one without a block', async () => {
  await ask(`0x${'77'.repeat(32)}`).expect(404);
  const pending = `0x${'88'.repeat(32)}`;
  await insert(pending, 'pending');
  const { body } = await ask(pending).expect(409);
  expect(body.detail).toContain('is in no block of the chain: it is pending');
});

it('is 502 with the reason where no node has the block, and where its block has no such transaction', async () => {
  const pruned = `0x${'99'.repeat(32)}`;
  await insert(pruned, 'confirmed', { hash: `0x${'12'.repeat(32)}`, number: 3 });
  const { body } = await ask(pruned).expect(502);
  expect(body.detail).toContain('no node of the chain has block 3');
  const invented = `0x${'aa'.repeat(32)}`;
  await insert(invented, 'confirmed', block);
  const { body: other } = await ask(invented).expect(502);
  expect(other.detail).toContain(`expected the transaction ${invented}, got none`);
});

it('reads four blocks of a chain at once for all workspaces, and answers for other chains meanwhile', async () => {
  const { projectId } = world.otherProject;
  await insert(hash, 'confirmed', block, { projectId });
  const of = (index: number) => `0x${String(index + 10).repeat(32)}`;
  for (let index = 0; index < 4; index += 1)
    for (const owner of [world.project.projectId, projectId])
      await insert(of(index), 'confirmed', block, { projectId: owner, chainGid: stuckGid });
  const countAsked = () => stuck.asked.filter((method) => method === 'eth_getBlockByHash').length;
  const begin = (client: Client, index: number) => {
    const call = client.get(`/transactions/${stuckGid}/${of(index)}/proof`);
    call.catch(() => undefined);
    return call;
  };
  const calls = [0, 1, 2, 3].map((index) => begin(world.api, index));
  // The fourth of the workspace waits for its turn.
  await waitFor(() => countAsked() === 3);
  calls.push(...[0, 1, 2].map((index) => begin(world.other, index)));
  await waitFor(() => countAsked() === 4);
  await world.other.get(`/transactions/${gid}/${hash}/proof`).expect(200);
  expect(countAsked()).toBe(4);
  // Who leaves gives its place to those that wait.
  for (const call of calls.slice(0, 4)) call.abort();
  await waitFor(() => countAsked() > 4);
  for (const call of calls.slice(4)) call.abort();
});
