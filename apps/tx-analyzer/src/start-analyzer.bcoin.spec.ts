// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  createFailoverClient,
  type Block,
  type ChainFamily,
  type FailoverClient,
} from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import {
  addressToScript,
  buildTransaction,
  createScriptKey,
  SCRIPT_KINDS,
  type KeyedCoin,
  type ScriptKey,
  type Transaction,
} from '@chainwatch/tool-devnet/bitcoin';
import { PausingDatabase } from './spec-world/spec-pausing-database.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const SEED = Number(process.env.ANALYZER_SEED ?? 20_261_121);
const ROUNDS = Number(process.env.ANALYZER_ROUNDS ?? 20);
const START = 110;
const regtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
/** An account's public key at m/84'/1'/0' of the seed 000102…0f (BIP-32's first test vector), with regtest's tpub prefix. */
const ACCOUNT =
  'tpubDDNRbZGvdA33cgpY5uy2mmphT7sK4uciRjcQScSd64S5KRyZDxHcPuzs24or84Hywugb2JbEEt2jWH8fduiN9cmZzkSj8sSSx6txXkhXyZs';

/** Numbers that are the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let count = 0;
  return (below) => {
    count += 1;
    return createHash('sha256').update(`${seed}:${count}`).digest().readUInt32BE() % below;
  };
}

const random = createRandom(SEED);
const newKey = (name: string, kind = SCRIPT_KINDS[random(SCRIPT_KINDS.length)]!): ScriptKey =>
  createScriptKey(kind, createHash('sha256').update(`${SEED} ${name}`).digest());
const miner = newKey('miner', 'p2wpkh');

let postgres: PostgresHandle;
let node: BcoinHandle;
let client: FailoverClient;
let family: ChainFamily;
let world: SpecWorld;
let project: string;
/** What the analyzer was told of, from START on. */
const followed: Block[] = [];

beforeAll(async () => {
  [postgres, node] = await Promise.all([SpecWorld.postgres(), startBcoin()]);
  await node.mine(START, { script: miner.script });
  const network = findNetwork(regtest)!;
  family = (await findFamily('bip122'))!;
  client = createFailoverClient([family.createClient({ network, endpointUrl: node.url })]);
  world = await SpecWorld.start(postgres, { of: { network, utxo: family.utxo! }, mempoolPollMs: 0 });
  world.chain.client = () => client;
  project = await world.addProject();
});
afterAll(async () => {
  await world.stop();
  await node.stop();
  await postgres.stop();
});

/** What the ingestor does when the node's chain changed. */
async function follow(): Promise<number> {
  const headers = await client.readHeaders(START, await node.readHeight());
  const kept = headers.findIndex((header, index) => followed[index]?.hash !== header.hash);
  const orphans = kept < 0 ? [] : followed.splice(kept).reverse();
  if (orphans.length > 0) await world.feedReorg(orphans);
  const news = headers
    .slice(followed.length)
    .map((header) => ({ ...header, transactions: [], balanceChanges: [], touchedAssets: [] }));
  followed.push(...news);
  await world.feedBlocks(...news);
  return orphans.length;
}

interface ChainCoin extends KeyedCoin {
  readonly isOld: boolean;
}

/** Coins after `branch`, without the node's help; those of START and before were there from the beginning. */
function listCoins(
  first: readonly KeyedCoin[],
  branch: readonly (readonly Transaction[])[],
  keys: readonly ScriptKey[],
): ChainCoin[] {
  const keyOf = new Map(keys.map((key) => [Buffer.from(key.script).toString('hex'), key]));
  const coins = new Map<string, ChainCoin>(
    first.map((coin) => [`${coin.txid}:${coin.vout}`, { ...coin, isOld: true }]),
  );
  for (const transaction of branch.flat()) {
    for (const { hash, index } of transaction.ins)
      coins.delete(`${Buffer.from(hash).reverse().toString('hex')}:${index}`);
    for (const [vout, { script, value }] of transaction.outs.entries()) {
      const key = keyOf.get(Buffer.from(script).toString('hex'));
      if (key !== undefined)
        coins.set(`${transaction.getId()}:${vout}`, {
          txid: transaction.getId(),
          vout,
          value,
          key,
          isOld: false,
        });
    }
  }
  return [...coins.values()];
}

/** A payment out of one to three coins, to one to four keys, some of it to scripts without an address. */
function pay(coins: readonly KeyedCoin[], keys: readonly ScriptKey[]): Transaction | undefined {
  const rich = coins.filter((coin) => coin.value > 20_000n);
  if (rich.length === 0) return undefined;
  const chosen = [...new Set(Array.from({ length: 1 + random(3) }, () => rich[random(rich.length)]!))];
  let left = chosen.reduce((sum, coin) => sum + coin.value, 0n) - 2_000n;
  const outputs = Array.from({ length: 1 + random(4) }, () => {
    const value = (left * BigInt(1 + random(60))) / 100n;
    left -= value;
    return { script: keys[random(keys.length)]!.script, value };
  });
  const memo = Buffer.from(
    `6a04${random(2 ** 31)
      .toString(16)
      .padStart(8, '0')}`,
    'hex',
  );
  return buildTransaction({
    coins: chosen,
    outputs: [...outputs, ...(random(3) === 0 ? [{ script: memo, value: 0n }] : [])],
  });
}

/** The analyzer's unspent coins are those that the node calls unspent. */
async function compare(watched: readonly ScriptKey[]): Promise<void> {
  const theirs = (await node.readCoins(watched))
    .filter(({ height }) => height >= START)
    .map(
      ({ txid, vout, value, key, height, isCoinbase }) =>
        `${txid}:${vout} ${key.address} ${value} ${height} ${isCoinbase}`,
    );
  const rows = await world.rows<{ coin: string }>(
    `SELECT txid || ':' || vout || ' ' || address || ' ' || amount_raw || ' ' || block_number || ' ' || is_coinbase AS coin FROM utxos WHERE spent_by IS NULL`,
  );
  expect(rows.map(({ coin }) => coin).sort()).toEqual(theirs.sort());
}

it(
  'holds the UTXO set of a real node through payments, chains of them, double spends and reorgs of depth 1 to 20',
  async () => {
    const watched = SCRIPT_KINDS.flatMap((kind) => [newKey(`${kind} 0`, kind), newKey(`${kind} 1`, kind)]);
    const keys = [...watched, ...Array.from({ length: 4 }, (_, index) => newKey(`foreign ${index}`))];
    const first = (await node.readCoins([miner])).filter(({ height }) => height <= 9);
    world.startAnalyzer();
    await follow();
    await world.settle();
    for (const key of watched.slice(0, 8)) await world.watch(project, key.address);
    /** Transactions of each block above START, in their order, without the coinbase. */
    let branch: Transaction[][] = [];
    let deepest = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      // Every third round, and once at the whole depth.
      const depth = round % 3 === 2 ? Math.min(branch.length, round >= ROUNDS - 3 ? 20 : 1 + random(8)) : 0;
      const orphaned = depth === 0 ? [] : branch.slice(-depth).flat();
      const next = branch.slice(0, branch.length - depth);
      const blocks = depth === 0 ? 1 + random(3) : depth + 1;
      const added: Transaction[][] = [];
      for (let position = 0; position < blocks; position += 1) {
        const content: Transaction[] = [];
        const spendable = () => listCoins(first, [...next, ...added, content], keys);
        for (const transaction of orphaned) {
          const isThere = [...added.flat(), ...content].includes(transaction);
          const unspent = new Set(spendable().map((coin) => `${coin.txid}:${coin.vout}`));
          // What comes first, a payment that is mined again or another one of the same coins, is left to chance.
          if (
            !isThere &&
            random(2) === 0 &&
            transaction.ins.every(({ hash, index }) =>
              unspent.has(`${Buffer.from(hash).reverse().toString('hex')}:${index}`),
            )
          )
            content.push(transaction);
        }
        for (let count = random(4); count > 0; count -= 1)
          content.push(...[pay(spendable(), keys)].filter((transaction) => transaction !== undefined));
        added.push(content);
      }
      const script = watched[random(watched.length)]!.script;
      if (depth > 0) await node.reorg({ depth, script, transactions: added });
      else for (const transactions of added) await node.mine(1, { script, transactions });
      branch = [...next, ...added];
      deepest = Math.max(deepest, await follow());
      await world.settle();
      if (depth > 0 || round === ROUNDS - 1) await compare(watched.slice(0, 8));
      if (round % 8 === 5) {
        await world.stopAnalyzer();
        world.startAnalyzer();
      }
    }
    expect(deepest).toBe(20);
    const sums = await world.rows<{ address: string; moved: string; held: string }>(
      `SELECT a.address,
       COALESCE((SELECT sum(CASE WHEN f.to_address = a.address THEN f.amount_raw ELSE -f.amount_raw END) FROM transfers f JOIN transactions t ON t.id = f.transaction_id
         WHERE a.address = ANY(f.monitored_addresses) AND t.status <> 'reorged'), 0)::text AS moved,
       COALESCE((SELECT sum(amount_raw) FROM utxos u WHERE u.address = a.address AND u.spent_by IS NULL), 0)::text AS held FROM addresses a`,
    );
    expect(sums).toHaveLength(8);
    const rewards = await world.rows<{ is_right: boolean; is_gone: boolean }>(
      `SELECT t.status = 'reorged' AS is_gone, t.matures_at_block IS NOT DISTINCT FROM CASE WHEN u.is_coinbase THEN t.block_number + 100 END AS is_right
       FROM transactions t LEFT JOIN (SELECT DISTINCT txid, is_coinbase FROM utxos) u ON u.txid = t.hash AND t.status <> 'reorged'`,
    );
    expect(rewards.filter(({ is_right: isRight }) => !isRight)).toEqual([]);
    expect(rewards.some(({ is_gone: isGone }) => isGone)).toBe(true);
    for (const { address, moved, held } of sums) expect([address, moved]).toEqual([address, held]);
  },
  60_000 + ROUNDS * 12_000,
);

it('takes the same block for the first that may spend a coinbase as the node', async () => {
  const key = newKey('late miner', 'p2wpkh');
  await world.watch(project, key.address);
  await follow();
  await world.settle();
  await node.mine(1, { script: key.script, transactions: [] });
  await follow();
  await world.settle();
  const { rows } = await world.db.query<{ block_number: number; matures_at_block: number }>(
    'SELECT t.block_number, t.matures_at_block FROM transactions t WHERE t.matures_at_block IS NOT NULL AND t.hash IN (SELECT txid FROM utxos WHERE address = $1)',
    [key.address],
  );
  expect(rows).toHaveLength(1);
  const { block_number: minedAt, matures_at_block: maturesAt } = rows[0]!;
  expect(maturesAt).toBe(minedAt + 100);
  const coins = await node.readCoins([key]);
  const spend = buildTransaction({ coins, outputs: [{ script: miner.script, value: 1_000n }] });
  // The next block is the one before the first that may spend it.
  await node.mine(maturesAt - 2 - (await node.readHeight()));
  await expect(node.send(spend)).rejects.toThrow(/premature/);
  await node.mine(1);
  await node.send(spend);
  await node.mine(1);
  expect(await node.readHeight()).toBe(maturesAt);
  expect(await node.readCoins([key])).toEqual([]);
});

it('misses none of 500 outputs to consecutive indexes that are derived while their block is worked on', async () => {
  const { addressFormat } = family.hd!.parsePublicKey({
    extendedPublicKey: ACCOUNT,
    derivationPath: "m/84'/1'/0'",
    networkGid: regtest,
  });
  const derived = await family.hd!.deriveAddresses({
    extendedPublicKey: ACCOUNT,
    addressFormat,
    networkGid: regtest,
    change: 0,
    indexes: Array.from({ length: 500 }, (_, index) => index),
  });
  const coin = (await node.readCoins([miner])).find(({ height }) => height === 10)!;
  const payment = buildTransaction({
    coins: [coin],
    outputs: derived.map(({ address }, index) => ({
      script: addressToScript(address.canonical),
      value: BigInt(10_000 + index),
    })),
  });
  let isDone = false;
  await world.stopAnalyzer();
  world.startAnalyzer(
    new PausingDatabase(async (name) => {
      if (name?.startsWith('advance_cursor') !== true && !name?.startsWith('commit_blocks')) return;
      if (isDone || followed.at(-1)!.number !== (await node.readHeight())) return;
      isDone = true;
      await world.db.transaction(async (sql) => {
        for (const { address } of derived) await world.watch(project, address.canonical, sql);
      });
    }),
  );
  await node.mine(1, { transactions: [payment] });
  await follow();
  const paid = () =>
    world.rows<{ address: string; amount_raw: string }>(
      'SELECT address, amount_raw FROM utxos WHERE txid = $1 ORDER BY vout',
      [payment.getId()],
    );
  await waitFor(async () => (await paid()).length === 500);
  expect(await paid()).toEqual(
    derived.map(({ address }, index) => ({ address: address.canonical, amount_raw: String(10_000 + index) })),
  );
});
