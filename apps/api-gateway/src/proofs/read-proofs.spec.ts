// SPDX-License-Identifier: Apache-2.0
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { readProofs } from './read-proofs.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { REFUSED, startNode, type NodeCall, type SpecNode } from '../spec-support/start-node.ts';

const gid = 'eip155:31337';
const solanaGid = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const unheardOf = `0x${'77'.repeat(32)}`;

let world: SpecWorld;
let anvil: AnvilHandle;
const nodes: SpecNode[] = [];
let hash: string;
let block: { readonly number: number; readonly hash: string };
beforeAll(async () => {
  [world, anvil] = await Promise.all([startSpecWorld(), startAnvil()]);
  for (const chain of [gid, solanaGid])
    await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
  const [from] = await anvil.rpc<[string]>('eth_accounts');
  hash = await anvil.rpc<string>('eth_sendTransaction', [{ from, to: from, value: '0x7' }]);
  const mined = await waitFor(() =>
    anvil.rpc<{ blockHash: string; blockNumber: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  block = { hash: mined.blockHash, number: Number(mined.blockNumber) };
});
afterAll(async () => {
  for (const node of nodes) node.stop();
  await anvil.stop();
  await world.stop();
});

async function start(answer: Parameters<typeof startNode>[0]): Promise<SpecNode> {
  const node = await startNode(answer);
  nodes.push(node);
  return node;
}

/** What anvil answers, with transactions of a type that nobody knows, and without their encodings. */
async function withoutEncodings({ method, params }: NodeCall): Promise<object> {
  if (/raw/i.test(method)) return REFUSED;
  const result = await anvil.rpc<{ transactions?: object[] } | null>(method, params);
  if (method !== 'eth_getBlockByHash' || result === null) return { result };
  return { result: { ...result, transactions: result.transactions!.map((tx) => ({ ...tx, type: '0x7d' })) } };
}
const asItIs = async ({ method, params }: NodeCall): Promise<object> => ({
  result: await anvil.rpc(method, params),
});

const readFrom = (urls: readonly string[], hashes = [hash], chainGid = gid, of = block) =>
  readProofs(
    { workspaceId: world.project.workspaceId, chainGid, block: of, hashes },
    { ...world.deps, settings: { ...world.deps.settings, chainEndpoints: { [chainGid]: urls } } },
  );

it('asks the next node where one cannot show what others may', async () => {
  const [bare, whole] = [await start(withoutEncodings), await start(asItIs)];
  const proofs = await readFrom([bare.url, whole.url]);
  expect(proofs.get(hash)).toMatchObject({ type: 'mpt', hash });
  expect(bare.asked).not.toEqual([]);
});

it('is none, with the reason, where all were asked', async () => {
  const [bare, pruned] = [await start(withoutEncodings), await start(() => ({ result: null }))];
  for (const urls of [[bare.url], [bare.url, bare.url], [bare.url, pruned.url], [pruned.url, bare.url]])
    expect((await readFrom(urls)).get(hash)).toEqual({
      ...{ type: 'none', chain_gid: gid, hash, block_hash: block.hash, block_number: block.number },
      ...{ header: null, branch: null, item: null },
      reason: expect.stringContaining('whose encoding is not known'),
    });
});

it('is not known where one of the others does not answer', async () => {
  const [bare, broken] = [await start(withoutEncodings), await start(() => REFUSED)];
  for (const urls of [
    [bare.url, broken.url],
    [broken.url, bare.url],
  ])
    expect((await readFrom(urls)).get(hash)).toMatchObject({
      code: 'bad_gateway',
      publicMessage: expect.stringMatching(/not every node of the chain answered.*encoding is not known/),
    });
});

it('asks no second node where no node can show it', async () => {
  const signatures = ['5gri'];
  const first = await start(() => ({ result: { slot: 7, transaction: { signatures } } }));
  const second = await start(() => REFUSED);
  const slot = { number: 7, hash: 'HGGVVJkz' };
  const proofs = await readFrom([first.url, second.url], signatures, solanaGid, slot);
  expect(proofs.get('5gri')).toMatchObject({ type: 'none', signatures });
  expect([first.asked, second.asked]).toEqual([['getTransaction'], []]);
});

it('shows what a block has beside what no node has', async () => {
  const [bare, whole] = [await start(withoutEncodings), await start(asItIs)];
  const proofs = await readFrom([bare.url, whole.url], [hash, unheardOf]);
  expect(proofs.get(hash)).toMatchObject({ type: 'mpt', hash });
  expect(proofs.get(unheardOf)).toMatchObject({
    code: 'bad_gateway',
    publicMessage: expect.stringContaining(`expected the transaction ${unheardOf}, got none`),
  });
});
