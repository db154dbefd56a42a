// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { nativeOf, type BlockRef, type Network } from '@chainwatch/chain-core';
import { findNetwork } from '@chainwatch/chain-registry';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { createFakeBroker, type FakeBroker } from '@chainwatch/data/testing';
import { createLogger } from '@chainwatch/platform/telemetry';
import { startBalanceService } from '../start-balance-service.ts';
import { createSpecClient } from './create-spec-client.ts';

const CHAIN = 'eip155:31337';
const network = findNetwork(CHAIN) as Network;
export const NATIVE = nativeOf(network).gid;
export const TOKEN = `${CHAIN}/erc20:0x00000000000000000000000000000000000000aa`;

export interface Move {
  readonly assetGid: string;
  /** Index of a watched address, undefined: somebody else. */
  readonly from?: number;
  readonly to?: number;
  readonly amount: bigint;
  /** What the recipient really gets; default all of it. */
  readonly arriving?: bigint;
  /** Paid by `from` in native coin. */
  readonly fee?: bigint;
}

/** A chain in memory whose blocks are written to the database as ingestor and analyzer write them. */
export class World {
  readonly network = network;
  readonly assets = [NATIVE, TOKEN];
  readonly db: Database;
  readonly url: string;
  readonly broker: FakeBroker = createFakeBroker();
  readonly addresses: { readonly id: string; readonly address: string }[] = [];
  /** Balances by block hash, then `address|asset`. */
  readonly states = new Map<string, Map<string, bigint>>();
  readonly branch: BlockRef[] = [];
  /** Hashes whose state the node does not have. */
  readonly missing = new Set<string>();
  readonly slow = new Set<string>();
  /** Calls that fail before the next one works. */
  failures = 0;
  calls = 0;
  projectId = '';
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(url: string) {
    this.url = url;
    this.db = createDatabase({ url, applicationName: 'balance-spec' });
  }

  static async create(url: string, addressCount: number): Promise<World> {
    const world = new World(url);
    const { db } = world;
    const { rows } = await db.query<{ id: string }>(
      `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
    );
    world.projectId = rows[0]!.id;
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'evm', 'local', 'l', '', true)`,
      [CHAIN],
    );
    await db.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($2, $1, 'slip44', '60', 'native', 'active', 18), ($3, $1, 'erc20', 'aa', 'fungible', 'active', 0)`,
      [CHAIN, NATIVE, TOKEN],
    );
    await db.query(`INSERT INTO ingestor_states (chain_gid) VALUES ($1)`, [CHAIN]);
    await db.query(`INSERT INTO analyzer_states (chain_gid) VALUES ($1)`, [CHAIN]);
    for (let index = 0; index < addressCount; index += 1) await world.addAddress();
    await world.mine([]);
    return world;
  }

  async addAddress(): Promise<void> {
    const address = `0x${(this.addresses.length + 1).toString(16).padStart(40, '0')}`;
    const { rows } = await this.db.query<{ id: string }>(
      `INSERT INTO addresses (project_id, chain_family, address, display, kind, format) VALUES ($1, 'evm', $2, $2, 'external', 'evm') RETURNING id`,
      [this.projectId, address],
    );
    this.addresses.push({ id: rows[0]!.id, address });
  }

  get head(): BlockRef {
    return this.branch.at(-1)!;
  }

  balance(index: number, assetGid: string, at: BlockRef = this.head): bigint {
    return this.states.get(at.hash)?.get(`${this.addresses[index]!.address}|${assetGid}`) ?? 0n;
  }

  /**
   * A block on the head: its transfers go into the analyzer's tables; `silently` changes balances without a
   * transfer.
   */
  async mine(
    moves: readonly Move[],
    silently: readonly { index: number; assetGid: string; delta: bigint }[] = [],
  ): Promise<BlockRef> {
    const parent = this.branch.at(-1);
    const block = { number: (parent?.number ?? 0) + 1, hash: `0x${randomUUID().replaceAll('-', '')}` };
    const state = new Map(parent === undefined ? [] : this.states.get(parent.hash));
    const add = (index: number | undefined, assetGid: string, delta: bigint): void => {
      if (index === undefined) return;
      const key = `${this.addresses[index]!.address}|${assetGid}`;
      state.set(key, (state.get(key) ?? 0n) + delta);
    };
    for (const { from, to, assetGid, amount, arriving = amount, fee = 0n } of moves) {
      add(from, assetGid, -amount);
      add(to, assetGid, arriving);
      add(from, NATIVE, -fee);
    }
    for (const { index, assetGid, delta } of silently) add(index, assetGid, delta);
    this.states.set(block.hash, state);
    this.branch.push(block);
    await this.db.transaction(async (sql) => {
      await sql.query(
        `INSERT INTO blocks (chain_gid, number, hash, parent_hash, status) VALUES ($1, $2, $3, $4, 'processed')`,
        [CHAIN, block.number, block.hash, parent?.hash ?? '0x'],
      );
      for (const move of moves) await this.#storeMove(sql, block, move);
      const touched = silently.filter(({ assetGid }) => assetGid === TOKEN);
      if (touched.length > 0) await this.#ask(sql, { assetGid: TOKEN, block, reason: 'touched' });
      for (const { index } of silently.filter(({ assetGid }) => assetGid === NATIVE))
        await this.#ask(sql, { index, assetGid: NATIVE, block, reason: 'touched' });
      await sql.query(
        'UPDATE analyzer_states SET cursor_number = $2, cursor_hash = $3 WHERE chain_gid = $1',
        [CHAIN, block.number, block.hash],
      );
    });
    return block;
  }

  /** Orphans the newest blocks, as ingestor and analyzer do it in one go. */
  async reorg(depth: number): Promise<void> {
    const orphans = this.branch.splice(this.branch.length - depth, depth);
    const hashes = orphans.map(({ hash }) => hash);
    await this.db.transaction(async (sql) => {
      await sql.query('SELECT 1 FROM blocks WHERE hash = ANY($1) ORDER BY id FOR UPDATE', [hashes]);
      await sql.query(`UPDATE blocks SET status = 'reorged' WHERE hash = ANY($1)`, [hashes]);
      const { rows } = await sql.query<{ id: string }>(
        `UPDATE transactions SET status = 'reorged' WHERE block_hash = ANY($1) RETURNING id`,
        [hashes],
      );
      await sql.query(
        `WITH readings AS (DELETE FROM balance_history WHERE block_hash = ANY($5) RETURNING address_id, asset_gid),
           differences AS (DELETE FROM adjustments WHERE block_hash = ANY($5))
         INSERT INTO balance_reads (chain_gid, address_id, asset_gid, reason)
         SELECT DISTINCT $1, ta.address_id, g.gid, 'reorged' FROM transaction_addresses ta CROSS JOIN (VALUES ($3), ($4)) g (gid) WHERE ta.transaction_id = ANY($2)
         UNION SELECT $1, address_id, asset_gid, 'reorged' FROM readings`,
        [CHAIN, rows.map(({ id }) => id), NATIVE, TOKEN, hashes],
      );
      await sql.query(
        'UPDATE analyzer_states SET cursor_number = $2, cursor_hash = $3 WHERE chain_gid = $1',
        [CHAIN, this.head.number, this.head.hash],
      );
    });
  }

  async finalize(block: BlockRef): Promise<void> {
    await this.db.transaction(async (sql) => {
      await sql.query('UPDATE analyzer_states SET confirmed_number = $2 WHERE chain_gid = $1', [
        CHAIN,
        block.number,
      ]);
      const { rows } = await sql.query<{ id: string }>(
        `UPDATE transactions SET status = 'confirmed', confirmed_at = now() WHERE block_number <= $1 AND status = 'detected' RETURNING id`,
        [block.number],
      );
      await sql.query(
        `INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason)
         SELECT DISTINCT $1, ta.address_id, g.gid, $5::bigint, $6, 'confirmed' FROM transaction_addresses ta CROSS JOIN (VALUES ($3), ($4)) g (gid) WHERE ta.transaction_id = ANY($2)`,
        [CHAIN, rows.map(({ id }) => id), NATIVE, TOKEN, block.number, block.hash],
      );
    });
  }

  async importAddress(index: number): Promise<void> {
    await this.db.query(
      `INSERT INTO balance_reads (chain_gid, address_id, reason) VALUES ($1, $2, 'imported')`,
      [CHAIN, this.addresses[index]!.id],
    );
  }

  async start(): Promise<{ stop(): Promise<void> }> {
    const db = createDatabase({ url: this.url, applicationName: 'balance-service', poolSize: 4 });
    const bus = this.broker.connect('balance-service');
    const service = startBalanceService({
      db,
      bus,
      logger: createLogger({ service: 'balance-spec', level: 'silent' }),
      openReader: () => Promise.resolve(createSpecClient(this)),
    });
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (isStopped) return;
      isStopped = true;
      await service.stop();
      await db.close();
    };
    this.#stops.push(stop);
    return { stop };
  }

  /** Waits until no work is left; the rows say what is stuck. */
  async settle(): Promise<void> {
    let left: unknown[] = [];
    const bus = this.broker.connect('api-gateway');
    await waitFor(
      async () => {
        await bus.publish('address.watched', {
          tokens: ['evm'],
          payload: {
            schema: 1,
            address_id: randomUUID(),
            project_id: this.projectId,
            address: '0x',
            is_monitored: true,
          },
          messageId: randomUUID(),
        });
        left = (await this.db.query('SELECT * FROM balance_reads')).rows;
        const { rows } = await this.db.query(
          `SELECT 1 FROM balance_history h JOIN blocks b ON b.hash = h.block_hash WHERE b.status = 'reorged'`,
        );
        return left.length === 0 && rows.length === 0;
      },
      { intervalMs: 50, message: () => `balance_reads to be empty, there is ${JSON.stringify(left)}` },
    );
  }

  async current(index: number, assetGid: string): Promise<bigint | undefined> {
    const { rows } = await this.db.query<{ amount_raw: string }>(
      'SELECT amount_raw FROM balances WHERE address_id = $1 AND asset_gid = $2',
      [this.addresses[index]!.id, assetGid],
    );
    return rows[0] === undefined ? undefined : BigInt(rows[0].amount_raw);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.db.close();
  }

  async #storeMove(
    sql: Pick<Database, 'query'>,
    block: BlockRef,
    { from, to, assetGid, amount, fee = 0n }: Move,
  ): Promise<void> {
    const id = randomUUID();
    const addressOf = (index: number | undefined): string =>
      index === undefined ? '0xffff' : this.addresses[index]!.address;
    await sql.query(
      `INSERT INTO transactions (id, project_id, chain_gid, hash, status, direction, block_number, block_hash, tx_index, required_confirmations, fee_asset_gid, fee_amount_raw, fee_payer)
       VALUES ($1, $2, $3, $9, 'detected', 'in', $4, $5, 0, 1, $6, $7, $8)`,
      [id, this.projectId, CHAIN, block.number, block.hash, NATIVE, fee, addressOf(from), id],
    );
    const watched = [...new Set([from, to].filter((index) => index !== undefined))];
    await sql.query(
      `INSERT INTO transfers (transaction_id, index, project_id, chain_gid, type, asset_gid, from_address, to_address, amount_raw, monitored_addresses) VALUES ($1, 0, $2, $3, 'token', $4, $5, $6, $7, $8)`,
      [id, this.projectId, CHAIN, assetGid, addressOf(from), addressOf(to), amount, watched.map(addressOf)],
    );
    for (const index of watched) {
      await sql.query('INSERT INTO transaction_addresses VALUES ($1, $2)', [this.addresses[index]!.id, id]);
      await this.#ask(sql, { index, assetGid: NATIVE, block, reason: 'detected' });
      if (assetGid !== NATIVE) await this.#ask(sql, { index, assetGid, block, reason: 'detected' });
    }
  }

  async #ask(
    sql: Pick<Database, 'query'>,
    {
      index,
      assetGid,
      block,
      reason,
    }: { index?: number | undefined; assetGid: string; block: BlockRef; reason: string },
  ): Promise<void> {
    await sql.query(
      'INSERT INTO balance_reads (chain_gid, address_id, asset_gid, block_number, block_hash, reason) VALUES ($1, $2, $3, $4, $5, $6)',
      [
        CHAIN,
        index === undefined ? null : this.addresses[index]!.id,
        assetGid,
        block.number,
        block.hash,
        reason,
      ],
    );
  }
}
