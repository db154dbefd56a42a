import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { verifyTransaction, type Proof } from '@chainwatch/verify';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const payee = `0x${'a1'.repeat(20)}`;

let world: SpecWorld;
let node: AnvilHandle;
let hash: string;
let block: { readonly hash: string; readonly number: number };
beforeAll(async () => {
  [world, node] = await Promise.all([startSpecWorld(), startAnvil()]);
  await world.api.post('/blockchains').send({ chain_gid: gid }).expect(201);
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
  await node.stop();
  await world.stop();
});

async function insert(
  txHash: string,
  status: string,
  at?: { readonly hash: string; readonly number: number },
) {
  await world.db.query(
    `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, required_confirmations) VALUES (gen_random_uuid(), $1, $2, $3, $4, 'in', $5, $6, 1)`,
    [world.project.projectId, gid, txHash, status, at?.number ?? null, at?.hash ?? null],
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
