// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { ChainClientError, type Block, type Transaction } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { hashOf } from '@chainwatch/data/testing';
import { SpecCoinScanner } from './spec-world/spec-coin-scanner.ts';
import { codec, COIN, makeUtxoTransaction, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import type { SpecAddress } from './spec-world/spec-database.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
let project: string;
let alice: SpecAddress;
let node: SpecCoinScanner;
/** The canonical chain. */
let blocks: Block[];

const outside = (name: string) => ({ txid: hashOf(name), vout: 0 });
const paid = makeUtxoTransaction('paid', [outside('a')], [['alice', 5n]]);
const other = makeUtxoTransaction('other', [outside('b')], [['alice', 7n]]);

beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres, {
    of: { network: utxoNetwork, utxo: codec },
    pollMs: 100,
    coinRoundIntervalMs: 1,
  });
  blocks = [];
  node = new SpecCoinScanner(world.chain, () => blocks);
  project = await world.addProject();
  await world.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'slip44', '1', 'native', 'active', 8)`,
    [COIN, world.gid],
  );
  alice = await watch('alice');
});
afterEach(() => world.stop());

async function watch(address: string, method = 'scan', fromBlock = 0): Promise<SpecAddress> {
  const watched = await world.watch(project, address);
  await world.db.query(
    'UPDATE address_backfills SET method = $2, from_block = $3, updated_at = created_at WHERE address_id = $1',
    [watched.id, method, fromBlock],
  );
  return watched;
}
async function mine(...transactions: readonly Transaction[]): Promise<Block> {
  const block = world.chain.make(blocks.at(-1), { transactions }, String(blocks.length));
  blocks.push(block);
  world.chain.tip = block;
  await world.feedBlocks(block);
  await world.settle();
  return block;
}
async function undo(count: number): Promise<void> {
  const orphans = blocks.splice(blocks.length - count).reverse();
  world.chain.tip = blocks.at(-1);
  await world.feedReorg(orphans);
}
/** Until the node has made so many scans from now on, and the last but one was compared. */
async function scans(count: number): Promise<void> {
  const before = node.scans.length;
  await waitFor(() => node.scans.length > before + count, { intervalMs: 2, message: `${count} scans` });
}
const coins = () =>
  world.rows<{ txid: string; address: string; amount_raw: string; spent: number | null; by: string | null }>(
    'SELECT txid, address, amount_raw, spent_block_number AS spent, spent_by AS by FROM utxos ORDER BY block_number, txid',
  );
const standing = async () =>
  (await coins()).flatMap(({ address, amount_raw: amount, spent }) =>
    spent === null ? [`${address} ${amount}`] : [],
  );
const differences = () =>
  world.rows<{ address_id: string; amount_raw: string; is_open: boolean; since_number: number | null }>(
    'SELECT address_id, amount_raw, coins IS NOT NULL AS is_open, since_number FROM balance_differences',
  );
const handedOver = async () => (await differences()).filter(({ is_open: isOpen }) => !isOpen);
const untilHandedOver = () =>
  waitFor(async () => (await handedOver()).length > 0, { message: 'the correction', intervalMs: 5 });
const lose = ({ hash }: Transaction) => world.db.query('DELETE FROM utxos WHERE txid = $1', [hash]);

describe('the round over coins', () => {
  it('finds a coin that is missing after a second scan of a later block, and it is spent like any other', async () => {
    world.startAnalyzer();
    await mine(paid, other);
    await scans(2);
    expect(await differences()).toEqual([]);
    await lose(other);
    await scans(3);
    // However often the first block is scanned: it is one opinion.
    expect(await differences()).toMatchObject([{ address_id: alice.id, amount_raw: '7', is_open: true }]);
    expect(await standing()).toEqual(['alice 5']);
    await mine();
    await untilHandedOver();
    expect(await standing()).toEqual(['alice 5', 'alice 7'].sort());
    expect(await differences()).toMatchObject([{ address_id: alice.id, amount_raw: '7', is_open: false }]);
    const spend = makeUtxoTransaction('spend', [{ txid: other.hash, vout: 0 }], [['bob', 6n]]);
    await mine(spend);
    expect((await coins()).find(({ txid }) => txid === other.hash)).toMatchObject({ by: spend.hash });
    expect(await world.rows(`SELECT direction FROM transactions WHERE hash = '${spend.hash}'`)).toEqual([
      { direction: 'out' },
    ]);
  });

  it('marks a coin that the node does not have as spent, until its block is undone', async () => {
    world.startAnalyzer();
    await mine(paid);
    await mine();
    await world.db.query(
      `INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, $2, 0, 'alice', 9, 1)`,
      [world.gid, hashOf('invented')],
    );
    await scans(2);
    await mine();
    await untilHandedOver();
    expect(await handedOver()).toMatchObject([{ amount_raw: '-9' }]);
    expect(await coins()).toEqual(
      expect.arrayContaining([expect.objectContaining({ amount_raw: '9', spent: 3, by: null })]),
    );
    await undo(1);
    await waitFor(async () => (await standing()).length === 2, { message: 'the coin to come back' });
    expect(await world.rows("SELECT address_id FROM balance_reads WHERE reason = 'reorged'")).toEqual([
      { address_id: alice.id },
    ]);
  });

  it('counts a coin again that two scans show after all', async () => {
    world.startAnalyzer();
    await mine(paid);
    await world.db.query('UPDATE utxos SET spent_block_number = 1, spent_block_hash = $1', [blocks[0]!.hash]);
    await scans(2);
    await mine();
    await untilHandedOver();
    expect(await standing()).toEqual(['alice 5']);
  });

  it('corrects an amount that is wrong', async () => {
    world.startAnalyzer();
    await mine(paid);
    await world.db.query('UPDATE utxos SET amount_raw = 50');
    await scans(2);
    await mine();
    await untilHandedOver();
    expect(await standing()).toEqual(['alice 5']);
    expect(await handedOver()).toMatchObject([{ amount_raw: '-45' }]);
  });

  it('drops what one scan alone shows, and what was of a block that is undone', async () => {
    let isLying = true;
    node.answer = (scan) => (isLying ? { ...scan, coins: [] } : scan);
    world.startAnalyzer();
    await mine(paid);
    await scans(2);
    expect(await differences()).toMatchObject([{ amount_raw: '-5', is_open: true }]);
    isLying = false;
    await mine();
    await waitFor(async () => (await differences()).length === 0, { message: 'the doubt to be dropped' });
    isLying = true;
    await scans(2);
    expect(await differences()).toHaveLength(1);
    isLying = false;
    await undo(1);
    await mine(other);
    await mine();
    await waitFor(async () => (await differences()).length === 0, { message: 'the doubt to be dropped' });
    await scans(2);
    expect(await standing()).toEqual(['alice 5', 'alice 7']);
    expect(await differences()).toEqual([]);
  });

  it('undoes what later blocks did when the scan is older than the cursor', async () => {
    const old = makeUtxoTransaction('old', [outside('o')], [['alice', 11n]]);
    world.startAnalyzer();
    await mine(paid, old);
    await scans(1);
    await lose(old);
    // The node scans the second block, and answers when the third one is analysed, which spends what was there.
    const spend = makeUtxoTransaction('spend', [{ txid: old.hash, vout: 0 }], [['bob', 10n]]);
    const change = makeUtxoTransaction('change', [{ txid: paid.hash, vout: 0 }], [['alice', 4n]]);
    await scans(2);
    // A scan that is given up for something else is asked for again.
    const releases: (() => void)[] = [];
    node.answer = (scan) =>
      scan.at.number < 2
        ? scan
        : new Promise((resolve) => {
            releases.push(() => resolve(scan));
          });
    await mine();
    await waitFor(() => releases.length > 0, { message: 'the second scan' });
    await mine(spend, change);
    node.answer = (scan) => scan;
    for (const release of releases) release();
    await untilHandedOver();
    expect(await standing()).toEqual(['alice 4']);
    expect((await coins()).find(({ txid }) => txid === old.hash)).toMatchObject({ by: spend.hash, spent: 3 });
    // Told late, as after an import.
    expect(
      (await world.events()).map(({ type, payload }) => [type, JSON.parse(payload).data.transaction.hash]),
    ).toContainEqual(['transaction.detected', spend.hash]);
    await scans(2);
    expect((await differences()).filter(({ is_open: isOpen }) => isOpen)).toEqual([]);
  });

  it('compares no address before its import is complete, and no coin from before a rescan began', async () => {
    const early = makeUtxoTransaction(
      'early',
      [outside('c')],
      [
        ['carol', 3n],
        ['dora', 3n],
      ],
    );
    world.startAnalyzer();
    await mine(early);
    await mine();
    const carol = await watch('carol', 'rescan', 2);
    const dora = await watch('dora', 'scan');
    await world.db.query(`UPDATE address_backfills SET status = 'failed' WHERE address_id = $1`, [dora.id]);
    await mine();
    await scans(2);
    await mine();
    await scans(2);
    expect(node.scans.at(-1)!.addresses).toEqual(['alice', 'carol']);
    expect(await differences()).toEqual([]);
    await world.db.query(`UPDATE address_backfills SET method = 'scan' WHERE address_id = $1`, [carol.id]);
    await scans(2);
    expect(await differences()).toMatchObject([{ address_id: carol.id, amount_raw: '3' }]);
  });

  it('does not compare what waits for evidence', async () => {
    world.startAnalyzer();
    await mine(paid, other);
    await world.stopAnalyzer();
    await world.db.query(
      `INSERT INTO unproved_coins (chain_gid, txid, vout, address, amount_raw, block_number, block_hash) SELECT chain_gid, txid, vout, address, amount_raw, block_number, block_hash FROM utxos WHERE amount_raw = 5`,
    );
    await lose(paid);
    const spend = makeUtxoTransaction('spend', [{ txid: other.hash, vout: 0 }], [['bob', 6n]]);
    await world.db.query(
      `INSERT INTO unproved_spends (chain_gid, txid, vout, spent_by, spent_block_number, spent_block_hash) VALUES ($1, $2, 0, $3, 2, 'x')`,
      [world.gid, other.hash, spend.hash],
    );
    node.answer = (scan) => ({ ...scan, coins: scan.coins.filter(({ txid }) => txid !== other.hash) });
    world.startAnalyzer();
    await scans(2);
    await mine();
    await scans(2);
    expect(await differences()).toEqual([]);
  });

  it('is not there while the node does not tell coins', async () => {
    world.startAnalyzer();
    await mine(paid);
    await scans(2);
    expect(await world.rows('SELECT FROM balance_rounds')).toHaveLength(1);
    await lose(paid);
    await scans(2);
    expect(await differences()).toHaveLength(1);
    node.answer = () => undefined;
    await scans(2);
    // One may have begun, and ends without a trace.
    expect(
      await world.rows('SELECT FROM balance_rounds WHERE ended_at IS NOT NULL OR previous_at IS NOT NULL'),
    ).toEqual([]);
    expect(await differences()).toEqual([]);
  });

  it('is not there while nobody is compared', async () => {
    await world.db.query('UPDATE addresses SET is_monitored = false');
    world.startAnalyzer();
    await mine(paid);
    await delay(100);
    expect([node.scans, await world.rows('SELECT FROM balance_rounds')]).toEqual([[], []]);
  });

  it('asks another endpoint the second time', async () => {
    const asked: string[] = [];
    const connect = world.chain.client.bind(world.chain);
    world.chain.endpoints = ['one', 'two'].map((label) => ({ label, tell: (block: Block) => block }));
    world.chain.client = () => {
      const client = connect();
      const { scanCoins } = client.coins!;
      const elsewhere = client.scanCoinsElsewhere!;
      return Object.assign(client, {
        coins: {
          ...client.coins,
          scanCoins: (...of: Parameters<typeof scanCoins>) => (asked.push('first'), scanCoins(...of)),
        },
        scanCoinsElsewhere: (...of: Parameters<typeof elsewhere>) => (
          asked.push('elsewhere'), elsewhere(...of)
        ),
      });
    };
    world.startAnalyzer();
    await mine(paid);
    await lose(paid);
    await scans(2);
    expect(new Set(asked)).toEqual(new Set(['first']));
    await mine();
    await untilHandedOver();
    expect(asked.filter((which) => which === 'elsewhere')).toEqual(['elsewhere']);
  });

  it.each([
    ['stands still', { number: 0, hash: '0000000000000000000000000000000000000000000000000000000000000000' }],
    ['is on another chain', { hash: 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff' }],
  ])('asks the first endpoint again where the other one %s', async (_what, at) => {
    const connect = world.chain.client.bind(world.chain);
    world.chain.endpoints = ['one', 'two'].map((label) => ({ label, tell: (block: Block) => block }));
    world.chain.client = () => {
      const client = connect();
      const elsewhere = client.scanCoinsElsewhere!;
      return Object.assign(client, {
        scanCoinsElsewhere: async (...of: Parameters<typeof elsewhere>) => {
          const scan = (await elsewhere(...of))!;
          return { ...scan, at: { ...scan.at, ...at } };
        },
      });
    };
    world.startAnalyzer();
    await mine(paid);
    await lose(paid);
    await scans(2);
    await mine();
    await untilHandedOver();
  });

  it('gives a scan up when an address waits for its coins', async () => {
    const aborted: number[] = [];
    world.startAnalyzer();
    await mine(paid);
    await scans(1);
    node.answer = (scan, signal) =>
      signal === undefined || node.scans.at(-1)!.addresses.includes('erin')
        ? scan
        : new Promise((_, reject) =>
            signal.addEventListener('abort', () => {
              aborted.push(scan.at.number);
              reject(new ChainClientError('scantxoutset: aborted'));
            }),
          );
    await scans(0);
    await delay(50);
    expect(aborted).toEqual([]);
    const erin = await world.watch(project, 'erin');
    await world.db.query(
      `UPDATE address_backfills SET status = 'pending', from_block = 0 WHERE address_id = $1`,
      [erin.id],
    );
    await waitFor(
      async () => (await world.rows(`SELECT FROM address_backfills WHERE status <> 'complete'`)).length === 0,
      { message: 'the import' },
    );
    expect(aborted).toEqual([1]);
  });

  it('scans fewer addresses at once where the node cannot answer for so many', async () => {
    await watch('bob');
    await watch('carol');
    node.answer = (scan) => {
      if (node.scans.at(-1)!.addresses.length > 1) throw new ChainClientError('too many');
      return scan;
    };
    world.startAnalyzer();
    await mine(paid);
    await waitFor(
      async () => (await world.rows('SELECT FROM balance_rounds WHERE ended_at IS NOT NULL')).length > 0,
      { message: 'the round to end', timeoutMs: 20_000 },
    );
  }, 30_000);

  it('says after which block a difference came, where the round before has compared the address', async () => {
    world.startAnalyzer();
    await mine(paid);
    await mine();
    await world.feedFinalize(blocks[0]!);
    await world.settle();
    await scans(4);
    await lose(paid);
    await mine();
    // One scan of this block, and another one of the next.
    await scans(3);
    await mine();
    await untilHandedOver();
    expect(await handedOver()).toMatchObject([{ since_number: 1 }]);
  });
});
