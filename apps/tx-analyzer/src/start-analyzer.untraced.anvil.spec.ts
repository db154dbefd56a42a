// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, waitFor, type AnvilHandle, type PostgresHandle } from '@chainwatch/testing';
import { SpecProxy, SpecRefusal, type ChangeAnswer } from './spec-world/spec-proxy.ts';
import { incidents } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const ALICE = `0x${'aa'.repeat(20)}`;
/** Pays its value to the address in its input. */
const FORWARDER = '0x600f80600b6000396000f36000600060006000346000355af100';
const network = findNetwork('eip155:31337')!;

let postgres: PostgresHandle;
let anvil: AnvilHandle;
let family: ChainFamily;
let node: SpecProxy;
let world: SpecWorld;
let block: Block;

beforeAll(async () => {
  [postgres, anvil] = await Promise.all([SpecWorld.postgres(), startAnvil()]);
  family = (await findFamily('eip155'))!;
  node = await SpecProxy.start(anvil.url);
  const [from] = await anvil.rpc<string[]>('eth_accounts');
  const send = async (tx: object): Promise<{ contractAddress: string }> => {
    const hash = await anvil.rpc<string>('eth_sendTransaction', [{ from, gas: '0x100000', ...tx }]);
    return waitFor(() => anvil.rpc<{ contractAddress: string } | null>('eth_getTransactionReceipt', [hash]));
  };
  const { contractAddress: to } = await send({ data: FORWARDER });
  await send({ to, value: '0x9', data: `0x${ALICE.slice(2).padStart(64, '0')}` });
  const client = connect();
  block = await client.readBlock(await client.readHead());
  client.close();
}, 60_000);
afterAll(() => Promise.all([node.stop(), anvil.stop(), postgres.stop()]));
beforeEach(async () => {
  node.reset();
  world = await SpecWorld.start(postgres, { of: { network }, unknownWaitMs: 300, pollMs: 100 });
  await world.watch(await world.addProject(), ALICE);
  world.chain.client = connect;
});
afterEach(() => world.stop());

const connect = () =>
  createFailoverClient([family.createClient({ network, endpointUrl: node.url })], { cooldownMs: 0 });

/** No trace with calls is given, of a block or of a transaction; the state that it changed is, where `tellsState`. */
const untraced =
  (tellsState: boolean): ChangeAnswer =>
  ({ method, params }, result) => {
    if (method.startsWith('trace_')) throw new SpecRefusal(-32_601, 'the method does not exist');
    const isState = JSON.stringify(params).includes('prestateTracer');
    if (method.startsWith('debug_trace') && !(isState && tellsState))
      throw new SpecRefusal(-32_000, 'execution timeout');
    return result;
  };

const told = async () =>
  (await world.events()).map(({ type, payload }) => {
    const { transaction } = (
      JSON.parse(payload) as { data: { transaction: { transfers: { amount_raw: string }[] } } }
    ).data;
    return `${type} ${transaction.transfers.map(({ amount_raw: amount }) => amount).join()}`;
  });

it('a transaction that nobody can trace does not stop its chain, and is told when a node traces it', async () => {
  node.change = untraced(true);
  world.startAnalyzer();
  await world.feedBlocks(block);
  await world.feedFinalize(block);
  await world.settle();
  expect(await incidents(world)).toMatchObject([{ kind: 'traces:unread', status: 'open' }]);
  expect(await told()).toEqual([]);
  node.reset();
  await waitFor(async () => (await told()).length === 2, { message: 'the payment' });
  expect(await told()).toEqual(['transaction.detected 9', 'transaction.confirmed 9']);
});

it('a block waits for a node that fails at everything, however long', async () => {
  node.change = untraced(false);
  world.startAnalyzer();
  await world.feedBlocks(block);
  await waitFor(() => node.asked.filter((method) => method === 'debug_traceTransaction').length > 6, {
    message: 'attempts one by one',
  });
  expect(await incidents(world)).toEqual([]);
  node.reset();
  await waitFor(async () => (await told()).length === 1, { message: 'the payment' });
});
