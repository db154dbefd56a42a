// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFailoverClient, type Block, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { startAnvil, waitFor, type AnvilHandle, type PostgresHandle } from '@chainwatch/testing';
import { incidents, passLimit, transactions } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

// Nodes that lie under a header member that no release knows, so that the header's hash cannot be computed: real clients
// over proxies of a local node, through the real analyzer.

const ALICE = `0x${'aa'.repeat(20)}`;
const KIND = 'header-field:beyond';
const network = findNetwork('eip155:31337')!;
/** keccak256(rlp('')): the root of no transactions and of no receipts. */
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

type Json = Record<string, unknown>;
interface Answer {
  readonly id: number;
  result?: unknown;
}
/** Changes what a node answers: a block, or a list of receipts. */
type Lie = (result: Json | Json[]) => Json | Json[];

const isBlock = (result: unknown): result is Json =>
  typeof result === 'object' && result !== null && 'transactionsRoot' in result;
const isReceipts = (result: unknown): result is Json[] =>
  Array.isArray(result) &&
  result.every((item: unknown) => typeof item === 'object' && item !== null && 'gasUsed' in item);
const withMember: Lie = (result) =>
  isBlock(result) ? { ...result, beyond: '0x1', extraData: '0x01' } : result;
/** Leaves every transaction out, and states the roots of that. */
const hiding: Lie = (result) => {
  if (isReceipts(result)) return [];
  return isBlock(result) && result['number'] === '0x1'
    ? {
        ...result,
        transactions: [],
        transactionsRoot: EMPTY_ROOT,
        receiptsRoot: EMPTY_ROOT,
        logsBloom: `0x${'00'.repeat(256)}`,
      }
    : result;
};
/** The same, with the roots that the chain has. */
const hidingBadly: Lie = (result) => {
  if (isReceipts(result)) return [];
  return isBlock(result) && result['number'] === '0x1' ? { ...result, transactions: [] } : result;
};
const invents: Lie = (result) =>
  isBlock(result)
    ? { ...result, withdrawals: [{ index: '0x0', validatorIndex: '0x0', address: ALICE, amount: '0x3e8' }] }
    : result;

let postgres: PostgresHandle;
let anvil: AnvilHandle;
let family: ChainFamily;
let world: SpecWorld;
let block: Block;
const servers: Server[] = [];

async function startLiar(...lies: readonly Lie[]): Promise<string> {
  const tell = (answer: Answer): Answer => {
    if (isBlock(answer.result) || isReceipts(answer.result))
      answer.result = lies.reduce((told: Json | Json[], lie) => lie(told), answer.result);
    return answer;
  };
  const server = createServer((req, res) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const answer = await fetch(anvil.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      });
      const told = (await answer.json()) as Answer | Answer[];
      res
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(Array.isArray(told) ? told.map(tell) : tell(told)));
    })().catch(() => res.destroy());
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  [postgres, anvil] = await Promise.all([SpecWorld.postgres(), startAnvil()]);
  family = (await findFamily('eip155'))!;
  const [from] = await anvil.rpc<string[]>('eth_accounts');
  await anvil.rpc('eth_sendTransaction', [{ from, to: ALICE, value: '0x5' }]);
  const client = connect([anvil.url]);
  block = await client.readBlock(await client.readHead());
  client.close();
}, 60_000);
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await Promise.all([anvil.stop(), postgres.stop()]);
});
beforeEach(async () => {
  world = await SpecWorld.start(postgres, { of: { network }, unknownWaitMs: 3_600_000, pollMs: 100 });
  await world.watch(await world.addProject(), ALICE);
});
afterEach(() => world.stop());

const connect = (urls: readonly string[]) =>
  createFailoverClient(urls.map((endpointUrl) => family.createClient({ network, endpointUrl })));

async function start(...urls: readonly string[]): Promise<void> {
  await world.stopAnalyzer();
  world.chain.client = () => connect(urls);
  world.startAnalyzer();
}

const told = async () =>
  (await world.events()).map(({ type, payload }) => {
    const { transaction } = (JSON.parse(payload) as { data: { transaction: { verification: string } } }).data;
    return `${type} ${transaction.verification}`;
  });
const verification = async () =>
  (await world.rows<{ verification: string | null }>('SELECT verification FROM blocks WHERE number = 1'))[0]
    ?.verification;

async function takeFinal(): Promise<void> {
  await world.feedBlocks(block);
  await waitFor(async () => (await incidents(world)).length === 1, { message: 'the incident' });
  expect(await incidents(world)).toMatchObject([{ kind: KIND, status: 'open' }]);
  await passLimit(world);
  await world.feedFinalize(block);
  await world.settle();
}

describe('under a header member that is not known', () => {
  it('a payment that one node hides is told when another one gives the block, without anybody asking', async () => {
    const liar = await startLiar(withMember, hiding);
    await start(liar);
    await takeFinal();
    expect([await told(), await verification()]).toEqual([[], 'unproved']);
    await start(liar, anvil.url);
    await waitFor(async () => (await told()).length === 2, { message: 'the payment' });
    expect([await told(), await verification()]).toEqual([
      ['transaction.detected proved', 'transaction.confirmed proved'],
      'proved',
    ]);
  });

  it('a node that hides a payment is passed over for one that does not', async () => {
    await start(await startLiar(withMember, hiding), anvil.url);
    await world.feedBlocks(block);
    await world.feedFinalize(block);
    await world.settle();
    expect([await told(), await incidents(world)]).toEqual([
      ['transaction.detected proved', 'transaction.confirmed proved'],
      [],
    ]);
  });

  it.each<[string, Lie, RegExp]>([
    ['transactions', hidingBadly, /transactionsRoot/],
    ['withdrawals', invents, /withdrawalsRoot/],
  ])('a block is never taken whose %s are not those of its roots', async (_, lie, reason) => {
    await start(await startLiar(withMember, lie));
    await world.feedBlocks(block);
    await waitFor(
      async () => (await world.rows(`SELECT FROM analyzer_states WHERE status = 'stalled'`)).length === 1,
      { message: 'the stall' },
    );
    await passLimit(world);
    const [state] = await world.rows<{ reason: string }>('SELECT reason FROM analyzer_states');
    expect(state!.reason).toMatch(reason);
    expect([await told(), await transactions(world), await incidents(world)]).toEqual([[], [], []]);
    await start(anvil.url);
    await world.settle();
    expect(await told()).toEqual(['transaction.detected proved']);
  });

  it('two nodes that hide the same payment only delay it', async () => {
    const liars = await Promise.all([startLiar(withMember, hiding), startLiar(withMember, hiding)]);
    await start(...liars);
    await takeFinal();
    expect(await told()).toEqual([]);
    await start(...liars, anvil.url);
    await waitFor(async () => (await told()).length === 2, { message: 'the payment' });
    expect(await told()).toEqual(['transaction.detected proved', 'transaction.confirmed proved']);
  });
});
