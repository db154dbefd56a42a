// SPDX-License-Identifier: Apache-2.0
import type { Block, Network, UtxoCodec } from '@chainwatch/chain-core';
import type { Database, Sql } from '@chainwatch/data/db';
import { SpecChain } from './spec-chain.ts';

/** Start of a rescan that reads no block. */
const ABOVE_ALL = 1_000_000;

/** A chain, and of one of unspent outputs how they are read. */
export interface SpecOf {
  readonly network: Network;
  readonly utxo?: UtxoCodec;
}

export interface SpecAddress {
  readonly id: string;
  readonly address: string;
  readonly projectId: string;
}

/** The database as ingestor and gateway write it. */
export class SpecDatabase {
  readonly db: Database;
  readonly chain: SpecChain;
  protected readonly utxo: UtxoCodec | undefined;
  seq = 0;
  /** Final blocks are packed at once, as if they were old. */
  isPacking = false;

  protected constructor(db: Database, { network, utxo }: SpecOf) {
    this.chain = new SpecChain(network);
    this.utxo = utxo;
    this.db = db;
  }

  /** Whether addresses have a history: on chains of accounts. */
  get hasHistory(): boolean {
    return this.utxo === undefined;
  }

  get gid(): string {
    return this.chain.network.gid;
  }

  /** The chain, which nobody has followed yet. */
  protected async addChain(): Promise<void> {
    await this.db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, $2, 'local', 'local', 'https://example.com/x.svg', true)`,
      [this.gid, this.chain.network.family],
    );
    await this.db.query('INSERT INTO ingestor_states (chain_gid, start_number) VALUES ($1, 1)', [this.gid]);
  }

  async addProject(): Promise<string> {
    const { rows } = await this.db.query<{ id: string }>(
      `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id) INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id`,
    );
    return rows[0]!.id;
  }

  /**
   * What the gateway does in one transaction (watch-address.ts): without its watch an address would count from the
   * first block. Its backfill finds nothing in earlier blocks, not even after a reorg.
   */
  async watch(projectId: string, address: string, sql?: Sql): Promise<SpecAddress> {
    if (sql === undefined)
      return this.db.transaction((transaction) => this.watch(projectId, address, transaction));
    const { rows } = await sql.query<{ id: string }>(
      `WITH added AS (
         INSERT INTO addresses (project_id, chain_family, address, display, kind, format) VALUES ($1, $3, $2, $2, 'external', $3) RETURNING id
       ), backfills AS (
         INSERT INTO address_backfills (address_id, chain_gid, status, from_block) SELECT id, $4, 'complete', $5::bigint FROM added WHERE $5 IS NOT NULL
       )
       SELECT id FROM added`,
      [projectId, address, this.chain.network.family, this.gid, this.utxo === undefined ? null : ABOVE_ALL],
    );
    const id = rows[0]!.id;
    await this.watchFromHead(id, sql);
    return { id, address, projectId };
  }

  async watchFromHead(id: string, sql: Sql = this.db): Promise<void> {
    await sql.query(
      `INSERT INTO address_watches (address_id, chain_gid, from_block, feed_seq) SELECT $1, chain_gid, head_number, feed_seq FROM ingestor_states WHERE head_number IS NOT NULL
       ON CONFLICT (address_id, chain_gid) DO UPDATE SET from_block = EXCLUDED.from_block, feed_seq = EXCLUDED.feed_seq`,
      [id],
    );
  }

  /** Asks for what an address did from a block on, as the gateway does (ask-for-history.ts). */
  async askForHistory({ id, projectId }: SpecAddress, fromBlock: number, sql: Sql = this.db): Promise<void> {
    await sql.query(
      `INSERT INTO address_histories AS h (address_id, chain_gid, project_id, from_block, next_block) VALUES ($1, $2, $3, $4, $4)
       ON CONFLICT (address_id, chain_gid) DO UPDATE SET status = 'pending', from_block = excluded.from_block, next_block = excluded.next_block,
         transaction_count = 0, not_covered = '[]', reason = NULL, failure_count = 0, due_at = now(), revision = h.revision + 1`,
      [id, this.gid, projectId, fromBlock],
    );
  }

  /** Addresses of a project as if they were derived from one public key, in their order. */
  async makeDerived(addresses: readonly SpecAddress[]): Promise<void> {
    const { rows } = await this.db.query<{ id: string }>(
      `INSERT INTO public_keys (project_id, extended_public_key, fingerprint, derivation_path, purpose, account_index, chain_family, chain_gid, address_format)
       VALUES ($1, 'xpub', '00000000', 'm/84''/0''/0''', 84, 0, $2, $3, 'p2wpkh') RETURNING id`,
      [addresses[0]!.projectId, this.chain.network.family, this.gid],
    );
    await this.db.query(
      `UPDATE addresses a SET kind = 'hd', public_key_id = $2, derivation_change = 0, derivation_index = d.position - 1
       FROM unnest($1::uuid[]) WITH ORDINALITY AS d (id, position) WHERE a.id = d.id`,
      [addresses.map(({ id }) => id), rows[0]!.id],
    );
  }

  /** What the gateway stores. Undefined: the chain's own finality. */
  async choosePolicy(projectId: string, depth: number | undefined): Promise<void> {
    await this.db.query(
      depth === undefined
        ? 'DELETE FROM confirmation_policies WHERE project_id = $1 AND chain_gid = $2 AND $3::integer IS NULL'
        : `INSERT INTO confirmation_policies (project_id, chain_gid, depth) VALUES ($1, $2, $3)
           ON CONFLICT (project_id, chain_gid) DO UPDATE SET depth = EXCLUDED.depth`,
      [projectId, this.gid, depth ?? null],
    );
  }

  /** A channel of the project that gets progress. */
  async askForProgress(projectId: string): Promise<void> {
    await this.db.query(
      `INSERT INTO notification_channels (project_id, kind, name, config) VALUES ($1, 'webhook', 'w', '{"event_types": ["transaction.progress"]}')`,
      [projectId],
    );
  }

  /** What the gateway does (update-addresses.ts). */
  async setMonitored(id: string, isMonitored: boolean): Promise<void> {
    await this.db.transaction(async (sql) => {
      await sql.query(
        'UPDATE addresses SET is_monitored = $2, watch_xid = pg_current_xact_id() WHERE id = $1',
        [id, isMonitored],
      );
      if (!isMonitored) return;
      await this.watchFromHead(id, sql);
      await sql.query('UPDATE address_histories SET revision = revision + 1 WHERE address_id = $1', [id]);
    });
  }

  /** What the ingestor does for new blocks. */
  async feedBlocks(...blocks: readonly Block[]): Promise<void> {
    if (this.isPacking) await this.pack();
    for (const block of blocks) {
      await this.db.transaction(async (sql) => {
        await sql.query(
          `INSERT INTO blocks (chain_gid, number, hash, parent_hash, block_timestamp, status) VALUES ($1, $2, $3, $4, to_timestamp($5), 'new')
           ON CONFLICT (chain_gid, hash) DO UPDATE SET status = 'new'`,
          [this.gid, block.number, block.hash, block.parentHash, block.timestamp],
        );
        await this.#append(sql, { type: 'block', block });
      });
    }
  }

  /** What the ingestor does for orphans, newest first. */
  async feedReorg(orphans: readonly Block[], resumeAfter?: number): Promise<void> {
    await this.db.transaction(async (sql) => {
      const numbers = orphans.map(({ number }) => number);
      await sql.query('SELECT unpack_blocks($1, $2, $3)', [
        this.gid,
        Math.min(...numbers),
        Math.max(...numbers),
      ]);
      // In the order of ids, as everybody who writes blocks locks them.
      await sql.query('SELECT 1 FROM blocks WHERE chain_gid = $1 AND hash = ANY($2) ORDER BY id FOR UPDATE', [
        this.gid,
        orphans.map((orphan) => orphan.hash),
      ]);
      for (const orphan of orphans) {
        await sql.query(`UPDATE blocks SET status = 'reorged' WHERE chain_gid = $1 AND hash = $2`, [
          this.gid,
          orphan.hash,
        ]);
        await this.#append(sql, { type: 'reorg', block: orphan, resumeSeq: resumeAfter });
      }
    });
  }

  async feedFinalize(block: Block): Promise<void> {
    await this.db.transaction((sql) => this.#append(sql, { type: 'finalize', block }));
    if (this.isPacking) await this.pack();
  }

  /** What the analyzer does for final blocks (run-packing.ts), of whatever age. Returns how many became packed. */
  async pack(): Promise<number> {
    return this.db.transaction(async (sql) => {
      await sql.query(`SELECT FROM owners WHERE kind = 'analyzer' AND share = $1 FOR UPDATE`, [this.gid]);
      const { rows } = await sql.query<{ packed: number }>('SELECT pack_blocks($1, 0) AS packed', [this.gid]);
      return rows[0]!.packed;
    });
  }

  async #append(
    sql: Sql,
    { type, block, resumeSeq }: { readonly type: string; readonly block: Block; readonly resumeSeq?: number },
  ): Promise<void> {
    this.seq += 1;
    await sql.query(
      `INSERT INTO chain_feed (chain_gid, seq, type, number, hash, parent_hash, timestamp, resume_seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        this.gid,
        this.seq,
        type,
        block.number,
        block.hash,
        block.parentHash,
        block.timestamp,
        resumeSeq ?? null,
      ],
    );
    const head =
      type === 'block'
        ? block
        : type === 'reorg'
          ? { number: block.number - 1, hash: block.parentHash }
          : undefined;
    await sql.query(
      `UPDATE ingestor_states SET feed_seq = $2, head_number = COALESCE($3, head_number), head_hash = COALESCE($4, head_hash) WHERE chain_gid = $1`,
      [this.gid, this.seq, head?.number ?? null, head?.hash ?? null],
    );
  }

  async rows<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return (await this.db.query<T>(text, [...values])).rows;
  }

  /** Events of the outbox in order, `type hash epoch-free`. */
  events(): Promise<
    {
      event_id: string;
      project_id: string;
      type: string;
      sequence: number;
      payload: string;
      is_held: boolean;
      is_published: boolean;
      transaction_id: string;
    }[]
  > {
    return this.rows(
      'SELECT event_id, project_id, type, sequence, payload, is_held, NOT EXISTS (SELECT FROM unpublished_events WHERE event_row_id = event_log.id) AS is_published, transaction_id FROM event_log ORDER BY id',
    );
  }
}
