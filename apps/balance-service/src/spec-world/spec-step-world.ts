// SPDX-License-Identifier: Apache-2.0
import type { Database, Sql } from '@chainwatch/data/db';
import { transactionIdOf, type EventEnvelope } from '@chainwatch/events';
import type { PostgresHandle } from '@chainwatch/testing';
import {
  lendDatabase,
  NATIVE,
  network,
  OTHER_TOKEN,
  TOKEN,
  type LentDatabase,
} from '@chainwatch/data/testing';
import { insertTransaction } from './insert-transaction.ts';
import { SpecChain, type Drift, type SpecBlock, type SpecTransaction } from './spec-chain.ts';

export interface SpecAddress {
  readonly id: string;
  readonly address: string;
  readonly projectId: string;
}

interface Analysis {
  /** Assets whose holders are read. */
  readonly touched?: readonly string[];
  /** Withdrawals: read without a transaction. */
  readonly changed?: readonly { readonly id: string; readonly assetGid: string }[];
  /** Not found with the block, only later (retroactively). */
  readonly overlooked?: readonly string[];
}

/** The database as gateway, ingestor and analyzer write it, and a node. */
export class StepWorld {
  readonly db: Database;
  readonly url: string;
  readonly chain = new SpecChain();
  readonly addresses: SpecAddress[] = [];
  tip: SpecBlock;

  readonly #lent: LentDatabase;

  private constructor(lent: LentDatabase) {
    this.#lent = lent;
    this.db = lent.db;
    this.url = lent.url;
    this.tip = this.chain.mine(undefined);
  }

  static async start(postgres: PostgresHandle): Promise<StepWorld> {
    const world = new StepWorld(await lendDatabase(postgres));
    await world.db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'evm', 'local', 'local', 'https://example.com/x.svg', true)`,
      [network.gid],
    );
    await world.db.query('INSERT INTO analyzer_states (chain_gid) VALUES ($1)', [network.gid]);
    await world.addAsset(NATIVE, 'active', 18);
    await world.addAsset(TOKEN, 'active', 6);
    await world.addAsset(OTHER_TOKEN, 'unknown', undefined);
    await world.analyze(world.tip);
    return world;
  }

  async stop(): Promise<void> {
    await this.#lent.giveBack();
  }

  async rows<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.db.query<T>(text, [...values])).rows;
  }

  async addAsset(gid: string, status: string, decimals: number | undefined): Promise<void> {
    const [namespace, reference] = gid.slice(gid.indexOf('/') + 1).split(':');
    await this.db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        gid,
        network.gid,
        namespace,
        reference,
        gid === NATIVE ? 'native' : 'fungible',
        status,
        decimals ?? null,
      ],
    );
  }

  async addProject(): Promise<string> {
    const rows = await this.rows<{ id: string }>(
      `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
    );
    return rows[0]!.id;
  }

  /** What the gateway does in one transaction. */
  async watch(projectId: string, address: string): Promise<SpecAddress> {
    const rows = await this.rows<{ id: string }>(
      `WITH a AS (INSERT INTO addresses (project_id, chain_family, address, display, kind, format) VALUES ($1, 'evm', $2, $2, 'external', 'evm') RETURNING id),
       r AS (INSERT INTO balance_reads (chain_gid, address_id, reason) SELECT $3, id, 'imported' FROM a) SELECT id FROM a`,
      [projectId, address, network.gid],
    );
    const watched = { id: rows[0]!.id, address, projectId };
    this.addresses.push(watched);
    return watched;
  }

  /** A block on top of the tip that is known to nobody but the node. */
  mine(
    transactions: readonly Omit<SpecTransaction, 'hash'>[] = [],
    drifts: readonly Drift[] = [],
    hashes: readonly string[] = [],
  ): SpecBlock {
    this.tip = this.chain.mine(this.tip, { transactions, drifts, hashes });
    return this.tip;
  }

  /** `mine` and `analyze`. */
  async advance(
    transactions: readonly Omit<SpecTransaction, 'hash'>[] = [],
    drifts: readonly Drift[] = [],
    analysis: Analysis = {},
  ): Promise<SpecBlock> {
    const block = this.mine(transactions, drifts);
    await this.analyze(block, analysis);
    return block;
  }

  /** The analyzer's atomic step for one block. */
  async analyze(
    block: SpecBlock,
    { touched = [], changed = [], overlooked = [] }: Analysis = {},
  ): Promise<void> {
    await this.db.transaction(async (sql) => {
      await sql.query(
        `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status) VALUES ($1, $2, $3, $4, date_trunc('second', now()), 'processed') ON CONFLICT (chain_gid, hash) DO UPDATE SET status = 'processed'`,
        [network.gid, block.number, block.hash, block.parent?.hash ?? null],
      );
      for (const transaction of block.transactions)
        await this.#record(
          sql,
          { block, transaction, readAt: block },
          this.addresses.filter(({ id }) => !overlooked.includes(id)),
        );
      for (const { id, assetGid } of changed)
        await this.ask({ addressId: id, assetGid, block, reason: 'touched' }, sql);
      await this.#recordChanges(sql, block);
      for (const assetGid of touched) await this.ask({ assetGid, block, reason: 'touched' }, sql);
      await sql.query(
        'UPDATE analyzer_states SET cursor_seq = cursor_seq + 1, cursor_number = $2, cursor_hash = $3 WHERE chain_gid = $1',
        [network.gid, block.number, block.hash],
      );
    });
  }

  /** Transactions of blocks already passed, for addresses that were overlooked. */
  async analyzeRetroactively(block: SpecBlock, ids: readonly string[]): Promise<void> {
    const late = this.addresses.filter(({ id }) => ids.includes(id));
    await this.#unpack([block]);
    await this.db.transaction(async (sql) => {
      for (const transaction of block.transactions) await this.#record(sql, { block, transaction }, late);
    });
  }

  /** What the ingestor does first. */
  async orphan(...blocks: readonly SpecBlock[]): Promise<void> {
    await this.#unpack(blocks);
    await this.db.query(`UPDATE blocks SET status = 'reorged' WHERE chain_gid = $1 AND hash = ANY($2)`, [
      network.gid,
      blocks.map((block) => block.hash),
    ]);
  }

  /** What the analyzer does then (commit-reorg.ts): newest first. */
  async undo(...blocks: readonly SpecBlock[]): Promise<void> {
    const hashes = blocks.map((block) => block.hash);
    const parent = blocks.at(-1)!.parent!;
    await this.#unpack(blocks);
    await this.db.transaction(async (sql) => {
      await sql.query('SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = ANY($2) ORDER BY id FOR UPDATE', [
        network.gid,
        hashes,
      ]);
      await sql.query(
        `UPDATE blocks SET status = 'new' WHERE chain_gid = $1 AND hash = ANY($2) AND status <> 'reorged'`,
        [network.gid, hashes],
      );
      const { rows } = await sql.query<{ id: string }>(
        `UPDATE transactions SET status = 'reorged', epoch = epoch + 1 WHERE chain_gid = $1 AND block_hash = ANY($2) AND status <> 'reorged' RETURNING id`,
        [network.gid, hashes],
      );
      await sql.query(
        `WITH readings AS (DELETE FROM balance_history WHERE chain_gid = $1 AND block_hash = ANY($2) RETURNING address_id, asset_gid),
           differences AS (DELETE FROM adjustments WHERE chain_gid = $1 AND block_hash = ANY($2)),
           changes AS (DELETE FROM block_changes WHERE chain_gid = $1 AND block_hash = ANY($2))
         INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
         SELECT $1, address_id, asset_gid, 'reorged' FROM (
           SELECT address_id, asset_gid FROM readings
           UNION SELECT ta.address_id, f.asset_gid FROM transaction_addresses ta JOIN transfers f USING (transaction_id) WHERE transaction_id = ANY($3)
           UNION SELECT ta.address_id, $4 FROM transaction_addresses ta WHERE transaction_id = ANY($3)) t`,
        [network.gid, hashes, rows.map((row) => row.id), NATIVE],
      );
      await sql.query(
        'UPDATE analyzer_states SET cursor_seq = cursor_seq + $4, cursor_number = $2, cursor_hash = $3 WHERE chain_gid = $1',
        [network.gid, parent.number, parent.hash, blocks.length],
      );
    });
    this.tip = parent;
  }

  /** Final blocks become packed that nothing names, as if they were old; of the first 1,024 heights. */
  async pack(): Promise<number> {
    const { rows } = await this.db.query<{ packed: number }>('SELECT pack_blocks($1, 0) AS packed', [
      network.gid,
    ]);
    return rows[0]!.packed;
  }

  async #unpack(blocks: readonly SpecBlock[]): Promise<void> {
    await this.db.query('SELECT unpack_blocks($1, number, number) FROM unnest($2::bigint[]) AS number', [
      network.gid,
      blocks.map(({ number }) => number).sort((a, b) => a - b),
    ]);
  }

  async confirm(block: SpecBlock): Promise<void> {
    await this.db.transaction(async (sql) => {
      await sql.query(
        `UPDATE blocks SET status = 'confirmed' WHERE chain_gid = $1 AND number <= $2 AND status = 'processed'`,
        [network.gid, block.number],
      );
      await sql.query(
        'UPDATE analyzer_states SET confirmed_number = $2, cursor_seq = cursor_seq + 1 WHERE chain_gid = $1',
        [network.gid, block.number],
      );
      const { rows } = await sql.query<{ id: string }>(
        `UPDATE transactions SET status = 'confirmed', confirmed_at = now() WHERE chain_gid = $1 AND block_number <= $2 AND status = 'detected' RETURNING id`,
        [network.gid, block.number],
      );
      await sql.query(
        `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason)
         SELECT DISTINCT $1, ta.address_id, f.asset_gid, $2::bigint, $3, 'confirmed' FROM transaction_addresses ta JOIN transfers f USING (transaction_id) WHERE transaction_id = ANY($4)`,
        [network.gid, block.number, block.hash, rows.map((row) => row.id)],
      );
    });
  }

  async hold(isHeld: boolean): Promise<void> {
    await this.db.query(
      `UPDATE analyzer_states SET hold_until_seq = CASE WHEN $2 THEN cursor_seq + 1000 END WHERE chain_gid = $1`,
      [network.gid, isHeld],
    );
  }

  async ask(
    read: { addressId?: string; assetGid?: string; block?: SpecBlock; reason: string; traceparent?: string },
    sql: Sql = this.db,
  ): Promise<void> {
    await sql.query(
      'INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason, traceparent) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [
        network.gid,
        read.addressId ?? null,
        read.assetGid ?? null,
        read.block?.number ?? null,
        read.block?.hash ?? null,
        read.reason,
        read.traceparent ?? null,
      ],
    );
  }

  async balanceOf(address: SpecAddress, assetGid: string): Promise<bigint | undefined> {
    const rows = await this.rows<{ amount_raw: string }>(
      'SELECT amount_raw FROM balances WHERE address_id = $1 AND asset_gid = $2',
      [address.id, assetGid],
    );
    return rows[0] === undefined ? undefined : BigInt(rows[0].amount_raw);
  }

  async adjustmentsOf(address: SpecAddress, assetGid: string): Promise<bigint[]> {
    const rows = await this.rows<{ amount_raw: string }>(
      'SELECT amount_raw FROM adjustments WHERE address_id = $1 AND asset_gid = $2 AND amount_raw <> 0 ORDER BY block_number',
      [address.id, assetGid],
    );
    return rows.map((row) => BigInt(row.amount_raw));
  }

  /** Rows of work that are not done yet. */
  async countWork(): Promise<number> {
    return (await this.rows<{ count: number }>('SELECT count(*) FROM balance_reads'))[0]!.count;
  }

  async events(): Promise<EventEnvelope<'balance.changed'>[]> {
    const rows = await this.rows<{ payload: string }>('SELECT payload FROM event_log ORDER BY id');
    return rows.map((row) => JSON.parse(row.payload) as EventEnvelope<'balance.changed'>);
  }

  /** What the block tells of changes without a transaction. */
  async #recordChanges(sql: Sql, { number, hash, drifts }: SpecBlock): Promise<void> {
    for (const { address, assetGid, delta, reason } of drifts)
      for (const { id } of this.addresses.filter((entry) => entry.address === address))
        if (reason !== undefined)
          await sql.query(
            `INSERT INTO block_changes AS c (address_id, asset_gid, chain_gid, block_number, block_hash, reason, amount_raw) VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (address_id, asset_gid, block_number, block_hash, reason) DO UPDATE SET amount_raw = c.amount_raw + excluded.amount_raw`,
            [id, assetGid, network.gid, number, hash, reason, delta],
          );
  }

  async #record(
    sql: Sql,
    {
      block,
      transaction,
      readAt,
    }: { block: SpecBlock; transaction: SpecTransaction; readAt?: SpecBlock | undefined },
    watched: readonly SpecAddress[],
  ): Promise<void> {
    const { hash, assetGid, from, to } = transaction;
    const participants = watched.filter(({ address }) => address === from || address === to);
    for (const projectId of new Set(participants.map((participant) => participant.projectId))) {
      const id = transactionIdOf(projectId, network.gid, hash);
      const mine = participants.filter((participant) => participant.projectId === projectId);
      await insertTransaction(sql, { block, transaction, row: { id, projectId, watched: mine } });
      for (const participant of mine) {
        await sql.query(
          'INSERT INTO transaction_addresses (address_id, transaction_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [participant.id, id],
        );
        for (const gid of new Set([NATIVE, assetGid]))
          await this.ask(
            {
              addressId: participant.id,
              assetGid: gid,
              reason: 'detected',
              block: readAt,
            },
            sql,
          );
      }
    }
  }
}
