// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createFailoverClient, type FailoverClient } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { buildTransaction, createScriptKey, type KeyedCoin } from '@chainwatch/tool-devnet/bitcoin';
import { SpecWorld } from '../spec-world/spec-world.ts';

const POLL_MS = 200;
const regtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const newKey = (kind: 'p2wpkh' | 'p2tr' | 'p2pkh') => createScriptKey(kind, randomBytes(32));
const miner = newKey('p2wpkh');

let postgres: PostgresHandle;
let node: BcoinHandle;
let client: FailoverClient;
let world: SpecWorld;
let project: string;
let coins: KeyedCoin[];
let fedNumber = -1;

beforeAll(async () => {
  [postgres, node] = await Promise.all([SpecWorld.postgres(), startBcoin()]);
  await node.mine(110, { script: miner.script });
  coins = (await node.readCoins([miner])).filter(({ height }) => height <= 8);
  const network = findNetwork(regtest)!;
  const family = (await findFamily('bip122'))!;
  client = createFailoverClient([family.createClient({ network, endpointUrl: node.url })]);
  world = await SpecWorld.start(postgres, {
    of: { network, utxo: family.utxo },
    mempoolPollMs: POLL_MS,
    mempoolGraceMs: 1_000,
  });
  world.chain.client = () => client;
  project = await world.addProject();
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  await postgres.stop();
});

/** What the ingestor does when the node's chain grew. */
async function follow(): Promise<void> {
  const headers = await client.readHeaders(Math.max(fedNumber + 1, 105), await node.readHeight());
  await world.feedBlocks(
    ...headers.map((header) => ({ ...header, transactions: [], balanceChanges: [], touchedAssets: [] })),
  );
  fedNumber = headers.at(-1)?.number ?? fedNumber;
  await world.settle();
}

const recordOf = async (hash: string) =>
  (
    await world.rows<{ status: string; replaced_by: string | null; epoch: number }>(
      'SELECT status, replaced_by, epoch FROM transactions WHERE hash = $1',
      [hash],
    )
  )[0];
const until = (hash: string, status: string) =>
  waitFor(async () => (await recordOf(hash))?.status === status, {
    intervalMs: 5,
    message: `${hash} to be ${status}`,
  });
const told = async (hash: string) =>
  (
    await world.rows<{ type: string }>(
      'SELECT type FROM event_log WHERE transaction_id IN (SELECT id FROM transactions WHERE hash = $1) ORDER BY id',
      [hash],
    )
  ).map(({ type }) => type.slice('transaction.'.length));

it('detects, replaces and mines what a real node has in its mempool', async () => {
  const [alice, bob] = [newKey('p2tr'), newKey('p2pkh')];
  await world.watch(project, alice.address);
  world.startAnalyzer();
  await follow();

  const coin = coins[0]!;
  const first = buildTransaction({
    coins: [coin],
    outputs: [
      { script: alice.script, value: 1_000_000n },
      { script: miner.script, value: coin.value - 1_002_000n },
    ],
  });
  await node.send(first);
  await until(first.getId(), 'pending');

  // Alice spends what is not mined yet.
  const child = buildTransaction({
    coins: [{ txid: first.getId(), vout: 0, value: 1_000_000n, key: alice }],
    outputs: [{ script: bob.script, value: 990_000n }],
  });
  await node.send(child);
  await until(child.getId(), 'pending');
  expect(
    await world.rows('SELECT direction, fee_amount_raw FROM transactions WHERE hash = $1', [child.getId()]),
  ).toEqual([{ direction: 'out', fee_amount_raw: '10000' }]);

  // The sender pays somebody else instead: both are gone.
  const second = buildTransaction({
    coins: [coin],
    outputs: [{ script: bob.script, value: coin.value - 100_000n }],
  });
  await node.send(second);
  await until(first.getId(), 'failed');
  for (const gone of [first, child]) {
    expect(await recordOf(gone.getId())).toEqual({ status: 'failed', replaced_by: second.getId(), epoch: 1 });
    expect(await told(gone.getId())).toEqual(['detected', 'failed']);
  }

  const third = buildTransaction({
    coins: [coins[1]!],
    outputs: [{ script: alice.script, value: coins[1]!.value - 1_000n }],
  });
  await node.send(third);
  await until(third.getId(), 'pending');
  await node.mine(1, { script: miner.script });
  await follow();
  await until(third.getId(), 'detected');
  expect(await told(third.getId())).toEqual(['detected']);
  expect(await world.rows('SELECT txid, vout, address FROM utxos')).toEqual([
    { txid: third.getId(), vout: 0, address: alice.address },
  ]);
});

it('goes back to the mempool with a reorg, and fails when the new branch spends its coin', async () => {
  const alice = newKey('p2wpkh');
  await world.watch(project, alice.address);
  const [kept, doomed] = [coins[2]!, coins[3]!].map((coin) =>
    buildTransaction({ coins: [coin], outputs: [{ script: alice.script, value: coin.value - 1_000n }] }),
  ) as [ReturnType<typeof buildTransaction>, ReturnType<typeof buildTransaction>];
  for (const transaction of [kept, doomed]) await node.send(transaction);
  await until(doomed.getId(), 'pending');
  await node.mine(1, { script: miner.script });
  await follow();
  await until(doomed.getId(), 'detected');
  const orphan = (await client.findHeaderByNumber(fedNumber))!;
  const thief = buildTransaction({
    coins: [coins[3]!],
    outputs: [{ script: miner.script, value: coins[3]!.value - 5_000n }],
  });
  await node.reorg({ depth: 1, script: miner.script, transactions: [[], [thief]] });
  await world.feedReorg([{ ...orphan, transactions: [], balanceChanges: [], touchedAssets: [] }]);
  fedNumber -= 1;
  await follow();
  await until(kept.getId(), 'pending');
  expect(await told(kept.getId())).toEqual(['detected', 'reorged', 'detected']);
  expect((await recordOf(doomed.getId()))?.status).toBe('reorged');
  expect(await told(doomed.getId())).toEqual(['detected', 'reorged']);
});
