// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { nativeOf, type BlockRef, type Network } from '@chainwatch/chain-core';
import { findNetwork } from '@chainwatch/chain-registry';
import { createDatabase, type Database, type Sql } from '@chainwatch/data/db';
import { transactionIdOf } from '@chainwatch/events';
import type { PostgresHandle } from '@chainwatch/testing';
import { createUtxoReader } from '../read/open-reader.ts';
import type { BalanceReader } from '../read/balance-reader.ts';

export const bitcoin: Network = findNetwork('bitcoin-regtest')!;
export const BTC = nativeOf(bitcoin).gid;

export interface UtxoOutput {
  readonly address: string;
  readonly amountRaw: bigint;
}

interface UtxoTransaction {
  readonly txid: string;
  readonly isCoinbase: boolean;
  readonly inputs: readonly string[];
  readonly outputs: readonly UtxoOutput[];
}

export interface UtxoBlock extends BlockRef {
  readonly parent: UtxoBlock | undefined;
  readonly transactions: readonly UtxoTransaction[];
  /** Unspent coins at the block, by outpoint. */
  readonly coins: ReadonlyMap<string, UtxoOutput>;
}

interface Watched extends UtxoOutput {
  readonly id: string;
  readonly projectId: string;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The database as gateway, ingestor and analyzer leave it for a chain of unspent outputs, and the chain itself. */
export class UtxoWorld {
  readonly db: Database;
  readonly reader: BalanceReader;
  readonly watched: Omit<Watched, 'amountRaw'>[] = [];
  tip: UtxoBlock;
  #salt = 0;

  private constructor(db: Database) {
    this.db = db;
    this.reader = createUtxoReader({ db, network: bitcoin });
    this.tip = {
      number: 100,
      hash: digest('genesis'),
      parent: undefined,
      transactions: [],
      coins: new Map(),
    };
  }

  static async start(postgres: PostgresHandle): Promise<UtxoWorld> {
    const world = new UtxoWorld(
      createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' }),
    );
    await world.db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'bitcoin', 'regtest', 'rbtc', 'https://example.com/x.svg', true)`,
      [bitcoin.gid],
    );
    await world.db.query('INSERT INTO analyzer_states (chain_gid) VALUES ($1)', [bitcoin.gid]);
    await world.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'slip44', '1', 'native', 'active', 8)`,
      [BTC, bitcoin.gid],
    );
    await world.analyze(world.tip);
    return world;
  }

  async stop(): Promise<void> {
    await this.db.close();
  }

  async addProject(): Promise<string> {
    const { rows } = await this.db.query<{ id: string }>(
      `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
    );
    return rows[0]!.id;
  }

  /** What the gateway does in one transaction. */
  async watch(projectId: string, address: string, backfill?: 'pending'): Promise<string> {
    const { rows } = await this.db.query<{ id: string }>(
      `WITH a AS (INSERT INTO addresses (project_id, chain_family, address, display, kind, format) VALUES ($1, 'bitcoin', $2, $2, 'external', 'p2wpkh') RETURNING id),
       r AS (INSERT INTO balance_reads (chain_gid, address_id, reason) SELECT $3, id, 'imported' FROM a),
       f AS (INSERT INTO address_backfills (address_id, chain_gid, status) SELECT id, $3, $4 FROM a WHERE $4::text IS NOT NULL) SELECT id FROM a`,
      [projectId, address, bitcoin.gid, backfill ?? null],
    );
    this.watched.push({ id: rows[0]!.id, address, projectId });
    return rows[0]!.id;
  }

  /** A block on top of the tip; a transaction spends outpoints and pays; without inputs it is a coinbase. */
  mine(
    transactions: readonly { readonly inputs?: readonly string[]; readonly outputs: readonly UtxoOutput[] }[],
    parent = this.tip,
  ): UtxoBlock {
    const coins = new Map(parent.coins);
    const made = transactions.map(({ inputs = [], outputs }): UtxoTransaction => {
      const isCoinbase = inputs.length === 0;
      // The same payment has the same txid in another block; a coinbase has the height in it.
      const txid = digest(
        isCoinbase
          ? `coinbase ${parent.hash} ${(this.#salt += 1)}`
          : JSON.stringify([inputs, outputs.map(({ address, amountRaw }) => [address, String(amountRaw)])]),
      );
      for (const input of inputs) coins.delete(input);
      outputs.forEach((output, vout) => coins.set(`${txid}:${vout}`, output));
      return { txid, isCoinbase, inputs, outputs };
    });
    this.tip = {
      number: parent.number + 1,
      hash: digest(`${parent.hash} ${(this.#salt += 1)}`),
      parent,
      transactions: made,
      coins,
    };
    return this.tip;
  }

  async advance(...transactions: Parameters<UtxoWorld['mine']>[0][number][]): Promise<UtxoBlock> {
    const block = this.mine(transactions);
    await this.analyze(block);
    return block;
  }

  /** The analyzer's atomic step for one block: transactions, legs, coins, balance reads, the cursor. */
  async analyze(block: UtxoBlock): Promise<void> {
    await this.db.transaction(async (sql) => {
      await sql.query(
        `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status) VALUES ($1, $2, $3, $4, now(), 'processed') ON CONFLICT (chain_gid, hash) DO UPDATE SET status = 'processed'`,
        [bitcoin.gid, block.number, block.hash, block.parent?.hash ?? null],
      );
      const coins = new Map(block.parent?.coins);
      for (const transaction of block.transactions) {
        await this.#store(sql, { block, transaction, coins });
        transaction.outputs.forEach((output, vout) => coins.set(`${transaction.txid}:${vout}`, output));
      }
      await sql.query(
        'UPDATE analyzer_states SET cursor_seq = cursor_seq + 1, cursor_number = $2, cursor_hash = $3 WHERE chain_gid = $1',
        [bitcoin.gid, block.number, block.hash],
      );
    });
  }

  /** A coin from before the address was watched, as a scan finds it. */
  async addScannedCoin({ address, amountRaw }: UtxoOutput, blockNumber: number): Promise<string> {
    const txid = digest(`scanned ${(this.#salt += 1)}`);
    await this.db.query(
      'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, block_number) VALUES ($1, $2, 0, $3, $4, $5)',
      [bitcoin.gid, txid, address, amountRaw, blockNumber],
    );
    (this.tip.coins as Map<string, UtxoOutput>).set(`${txid}:0`, { address, amountRaw });
    return `${txid}:0`;
  }

  /** What the analyzer does with orphans, newest first (commit-reorg.ts). */
  async undo(...blocks: readonly UtxoBlock[]): Promise<void> {
    const hashes = blocks.map((block) => block.hash);
    const parent = blocks.at(-1)!.parent!;
    await this.db.transaction(async (sql) => {
      await sql.query(`UPDATE blocks SET status = 'reorged' WHERE chain_gid = $1 AND hash = ANY($2)`, [
        bitcoin.gid,
        hashes,
      ]);
      const { rows } = await sql.query<{ id: string }>(
        `UPDATE transactions SET status = 'reorged', epoch = epoch + 1 WHERE chain_gid = $1 AND block_hash = ANY($2) AND status <> 'reorged' RETURNING id`,
        [bitcoin.gid, hashes],
      );
      const { rows: deleted } = await sql.query<{ address: string }>(
        'DELETE FROM utxos WHERE chain_gid = $1 AND block_hash = ANY($2) RETURNING address',
        [bitcoin.gid, hashes],
      );
      const { rows: unspent } = await sql.query<{ address: string }>(
        'UPDATE utxos SET spent_by = NULL, spent_block_number = NULL, spent_block_hash = NULL WHERE chain_gid = $1 AND spent_block_hash = ANY($2) RETURNING address',
        [bitcoin.gid, hashes],
      );
      await sql.query(
        `WITH readings AS (DELETE FROM balance_history WHERE chain_gid = $1 AND block_hash = ANY($2) RETURNING address_id, asset_gid),
           differences AS (DELETE FROM adjustments WHERE chain_gid = $1 AND block_hash = ANY($2))
         INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
         SELECT $1, address_id, asset_gid, 'reorged' FROM (
           SELECT address_id, asset_gid FROM readings UNION SELECT address_id, $4 FROM transaction_addresses WHERE transaction_id = ANY($3)
           UNION SELECT id, $4 FROM addresses WHERE address = ANY($5)) t`,
        [
          ...[bitcoin.gid, hashes, rows.map((row) => row.id), BTC],
          [...deleted, ...unspent].map(({ address }) => address),
        ],
      );
      await sql.query(
        'UPDATE analyzer_states SET cursor_seq = cursor_seq + 1, cursor_number = $2, cursor_hash = $3 WHERE chain_gid = $1',
        [bitcoin.gid, parent.number, parent.hash],
      );
    });
    this.tip = parent;
  }

  async confirm(block: UtxoBlock): Promise<void> {
    await this.db.transaction(async (sql) => {
      await sql.query(
        `UPDATE blocks SET status = 'confirmed' WHERE chain_gid = $1 AND number <= $2 AND status = 'processed'`,
        [bitcoin.gid, block.number],
      );
      await sql.query(
        'UPDATE analyzer_states SET confirmed_number = $2, cursor_seq = cursor_seq + 1 WHERE chain_gid = $1',
        [bitcoin.gid, block.number],
      );
      await sql.query(
        `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason) SELECT $1, id, $2, $3::bigint, $4, 'confirmed' FROM addresses`,
        [bitcoin.gid, BTC, block.number, block.hash],
      );
    });
  }

  /** The balance by the chain itself. */
  balanceAt(block: UtxoBlock, address: string): bigint {
    return [...block.coins.values()]
      .filter((coin) => coin.address === address)
      .reduce((sum, coin) => sum + coin.amountRaw, 0n);
  }

  async #store(
    sql: Sql,
    {
      block,
      transaction,
      coins,
    }: {
      readonly block: UtxoBlock;
      readonly transaction: UtxoTransaction;
      readonly coins: ReadonlyMap<string, UtxoOutput>;
    },
  ): Promise<void> {
    const { txid } = transaction;
    const isWatched = (address: string | undefined): boolean =>
      this.watched.some((one) => one.address === address);
    await storeCoins(sql, { block, transaction, isWatched });
    const legs = listLegs(transaction, coins).filter(({ to, from }) => to !== undefined || isWatched(from));
    const touched = this.watched.filter(({ address }) =>
      legs.some(({ from, to }) => from === address || to === address),
    );
    for (const projectId of new Set(touched.map((one) => one.projectId))) {
      const id = transactionIdOf(projectId, bitcoin.gid, txid);
      await sql.query(
        `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, tx_index, required_confirmations) VALUES ($1, $2, $3, $4, 'detected', 'in', $5, $6, 0, 3)
         ON CONFLICT (id) DO UPDATE SET status = 'detected', block_number = excluded.block_number, block_hash = excluded.block_hash`,
        [id, projectId, bitcoin.gid, txid, block.number, block.hash],
      );
      for (const { index, from, to, amountRaw } of legs) {
        await sql.query(
          `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses) VALUES ($1, $2, $3, $4, 'native', $5, $6, $7, $8, '{}') ON CONFLICT DO NOTHING`,
          [id, index, projectId, bitcoin.gid, BTC, from ?? null, to ?? null, amountRaw],
        );
      }
      for (const one of touched.filter((candidate) => candidate.projectId === projectId)) {
        await sql.query(
          'INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [one.id, id],
        );
        await sql.query(
          `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason) VALUES ($1, $2, $3, $4, $5, 'detected')`,
          [bitcoin.gid, one.id, BTC, block.number, block.hash],
        );
      }
    }
  }
}

async function storeCoins(
  sql: Sql,
  {
    block,
    transaction: { txid, isCoinbase, inputs, outputs },
    isWatched,
  }: {
    readonly block: UtxoBlock;
    readonly transaction: UtxoTransaction;
    readonly isWatched: (address: string) => boolean;
  },
): Promise<void> {
  for (const input of inputs) {
    await sql.query(
      'UPDATE utxos SET spent_by = $3, spent_block_number = $4, spent_block_hash = $5 WHERE chain_gid = $1 AND txid || $6 || vout = $2',
      [bitcoin.gid, input, txid, block.number, block.hash, ':'],
    );
  }
  for (const [vout, { address, amountRaw }] of outputs.entries()) {
    if (!isWatched(address)) continue;
    await sql.query(
      'INSERT INTO utxos (chain_gid, txid, vout, address, amount_raw, is_coinbase, block_number, block_hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING',
      [bitcoin.gid, txid, vout, address, amountRaw, isCoinbase, block.number, block.hash],
    );
  }
}

interface Leg {
  readonly index: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly amountRaw: bigint;
}

/** Inputs whose coins are known, and outputs. */
function listLegs(
  { inputs, outputs }: UtxoTransaction,
  coins: ReadonlyMap<string, UtxoOutput>,
): readonly Leg[] {
  return [
    ...inputs.flatMap((input, index) => {
      const coin = coins.get(input);
      return coin === undefined
        ? []
        : [{ index, from: coin.address, to: undefined, amountRaw: coin.amountRaw }];
    }),
    ...outputs.map(({ address, amountRaw }, vout) => ({
      index: inputs.length + vout,
      from: undefined,
      to: address,
      amountRaw,
    })),
  ];
}
