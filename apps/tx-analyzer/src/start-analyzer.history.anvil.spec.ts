// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, waitFor, type AnvilHandle, type PostgresHandle } from '@chainwatch/testing';
import { contracts } from '@chainwatch/tool-devnet/evm';
import { SpecProxy, SpecRefusal, type ChangeAnswer } from './spec-world/spec-proxy.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = `0x${'a1'.repeat(20)}`;
const network = findNetwork('eip155:31337')!;
/** mint(address,uint256) */
const MINT = '0x40c10f19';

type Log = { readonly blockNumber: string };

/** A node that does not trace, and what it makes of the logs that it lists; `head`: the highest block that it has. */
const nodeOf =
  (list: (logs: readonly Log[]) => readonly Log[] = (logs) => logs, head = Infinity): ChangeAnswer =>
  ({ method, params }, result) => {
    if (/^(trace|debug)_/.test(method)) throw new SpecRefusal(-32601, 'no such method');
    if (method === 'eth_getLogs') return list(result as readonly Log[]);
    return method === 'eth_getBlockByNumber' && Number(params[0]) > head ? null : result;
  };

let postgres: PostgresHandle;
let anvil: AnvilHandle;
let family: ChainFamily;
let world: SpecWorld;
let project: string;
let one: SpecProxy;
let two: SpecProxy;
/** With a payment of tokens to Alice; the first one in a block of its own, the last one beside nothing else. */
const paid: number[] = [];
let head: Block;

beforeAll(async () => {
  [postgres, anvil] = await Promise.all([SpecWorld.postgres(), startAnvil({ args: ['--no-mining'] })]);
  family = (await findFamily('eip155'))!;
  const [from] = await anvil.rpc<string[]>('eth_accounts');
  const send = (tx: object) => anvil.rpc<string>('eth_sendTransaction', [{ from, gas: '0x2dc6c0', ...tx }]);
  const created = await send({ data: contracts.TestToken.bytecode });
  await anvil.mine();
  const { contractAddress } = await anvil.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', [
    created,
  ]);
  const call = (to: string) => ({
    to: contractAddress,
    data: `${MINT}${to.slice(2).padStart(64, '0')}${(5).toString(16).padStart(64, '0')}`,
  });
  for (let payment = 0; payment < 2; payment += 1) {
    await anvil.mine(10);
    await send(call(ALICE));
    await anvil.mine();
    paid.push(await anvil.blockNumber());
    await send(call(`0x${'b0'.repeat(20)}`));
    await anvil.mine();
  }
  await anvil.mine(10);
  // Tells the analyzer that the node does not trace.
  await send(call(`0x${'b0'.repeat(20)}`));
  await anvil.mine();
  [one, two] = await Promise.all([SpecProxy.start(anvil.url), SpecProxy.start(anvil.url)]);
  const client = connect([one]);
  head = await client.readBlock(await client.readHead());
  client.close();
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop(), anvil.stop(), postgres.stop()]);
});
beforeEach(async () => {
  for (const endpoint of [one, two]) {
    endpoint.reset();
    endpoint.change = nodeOf();
  }
  world = await SpecWorld.start(postgres, { of: { network }, pollMs: 100 });
  project = await world.addProject();
});
afterEach(() => world.stop());

const connect = (endpoints: readonly SpecProxy[]) =>
  createFailoverClient(
    endpoints.map(({ url }) => family.createClient({ network, endpointUrl: url })),
    { cooldownMs: 0 },
  );

/** Alice is watched from the head on, and her past is asked for. */
async function importAlice(...endpoints: readonly SpecProxy[]): Promise<void> {
  world.chain.client = () => connect(endpoints);
  await world.db.query('UPDATE ingestor_states SET start_number = $1', [head.number]);
  world.startAnalyzer();
  await world.feedBlocks(head);
  await world.feedFinalize(head);
  await world.settle();
  for (const { asked } of endpoints) asked.length = 0;
  await world.db.transaction(async (sql) =>
    world.askForHistory(await world.watch(project, ALICE, sql), 1, sql),
  );
}

const job = async () =>
  (
    await world.rows<{ status: string; next_block: number; reason: string | null }>(
      'SELECT status, next_block, reason FROM address_histories',
    )
  )[0]!;
const untilComplete = () =>
  waitFor(async () => (await job()).status === 'complete', { message: 'the history to be complete' });
const found = async () =>
  (
    await world.rows<{ number: number }>(
      'SELECT block_number AS number FROM transactions ORDER BY block_number',
    )
  ).map(({ number }) => number);
const numberOf = ({ blockNumber }: Log) => Number(blockNumber);

describe("a list of logs that is not the chain's", () => {
  it.each([
    ['is empty', () => []],
    [
      'leaves out the first of two blocks',
      (logs: readonly Log[]) => logs.filter((log) => numberOf(log) !== paid[0]),
    ],
    [
      'leaves out the last of two blocks',
      (logs: readonly Log[]) => logs.filter((log) => numberOf(log) !== paid[1]),
    ],
  ])('hides no payment where it %s', async (_what, list) => {
    one.change = nodeOf(list);
    await importAlice(one);
    await untilComplete();
    expect(await found()).toEqual(paid);
    expect(one.asked).toContain('eth_getLogs');
  });

  it('costs nothing where it is the truth: no other block is read', async () => {
    await importAlice(one);
    await untilComplete();
    expect(await found()).toEqual(paid);
    // And the block with the creation of a contract, whose address is not in the transaction.
    expect(one.asked.filter((method) => method === 'eth_getBlockReceipts')).toHaveLength(paid.length + 1);
  });
});

describe('a node whose head does not cover the range', () => {
  it('makes no history complete, which says so and is whole once the node is', async () => {
    one.change = nodeOf(undefined, head.number - 2);
    await importAlice(one);
    await waitFor(async () => (await job()).reason !== null, { message: 'the reason' });
    expect(await job()).toMatchObject({
      status: expect.stringMatching(/running|failed/),
      next_block: 1,
      reason: expect.stringMatching(/is not known to the node: history needs a node/),
    });
    expect(await found()).toEqual([]);
    one.change = nodeOf();
    await world.db.query('UPDATE address_histories SET due_at = now()');
    await untilComplete();
    expect(await found()).toEqual(paid);
  });

  it('is passed over for another one', async () => {
    one.change = nodeOf(() => [], head.number - 2);
    await importAlice(one, two);
    await untilComplete();
    expect(await found()).toEqual(paid);
    expect((await job()).reason).toBeNull();
  });
});
