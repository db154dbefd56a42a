// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import type { ChainClient, Network, TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { NewAsset } from '../model/blocks-step.ts';

interface AssetRow {
  readonly gid: string;
  readonly type: string;
  readonly decimals: number | null;
}

interface AssetRegistryDeps {
  readonly sql: Sql;
  readonly network: Network;
  readonly client: () => ChainClient;
  /** How long an event may wait for a token's metadata. After that its amounts are null. */
  readonly metadataTimeoutMs: number;
}

/** Contracts asked about in one step because a log of theirs names a watched address, and those remembered to be no tokens. */
const STRANGERS_MAX = 50;
const REMEMBERED_MAX = 50_000;
/** When a node that did not tell what a contract is may be asked about it again. */
const ASK_AGAIN_MS = 10 * 60_000;

/** What is known of the assets of one chain: decimals for amounts, and which rows exist. */
export class AssetRegistry {
  readonly #deps: AssetRegistryDeps;
  readonly #decimals = new Map<string, number>();
  /** Assets that somebody may hold: only these are read again when their contract was touched. */
  readonly #held = new Set<string>();
  /** Collections: what their transfers call an amount is an id. */
  readonly #collections = new Set<string>();
  /** Read from the chain, not committed yet. */
  readonly #unsaved = new Map<string, NewAsset>();
  /** When contracts that are no token, or about which no node said anything, may be asked about again, in milliseconds. */
  readonly #strangers = new Map<string, number>();

  constructor(deps: AssetRegistryDeps) {
    this.#deps = deps;
    const { native } = deps.network;
    if (native !== undefined) this.#decimals.set(native.gid, native.decimals);
  }

  decimalsOf = (assetGid: string): number | undefined => this.#decimals.get(assetGid);

  isNft = (assetGid: string): boolean => this.#collections.has(assetGid);

  isHeld(assetGid: string): boolean {
    return this.#held.has(assetGid) && !this.isNft(assetGid);
  }

  /** Loads the chain's assets, and creates the native one where there is one. */
  async load(): Promise<void> {
    const { sql, network } = this.#deps;
    await this.#createNative();
    const { rows } = await sql.query<AssetRow>(
      `SELECT gid, type, decimals FROM assets WHERE chain_gid = $1 AND type <> 'native'`,
      [network.gid],
    );
    for (const row of rows) this.#record(row);
  }

  async #createNative(): Promise<void> {
    const { sql, network } = this.#deps;
    if (network.native === undefined) return;
    const { gid, name, symbol, decimals } = network.native;
    const { namespace, reference } = splitAssetGid(gid);
    await sql.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, source)
       VALUES ($1, $2, $3, $4, 'native', 'active', $5, $6, $7, 'registry') ON CONFLICT (gid) DO NOTHING`,
      [gid, network.gid, namespace, reference, name, symbol, decimals],
    );
  }

  /** Loads assets that the API registered meanwhile. */
  async refresh(since: Date): Promise<void> {
    const { sql, network } = this.#deps;
    const { rows } = await sql.query<AssetRow>(
      `SELECT gid, type, decimals FROM assets WHERE chain_gid = $1 AND type <> 'native' AND updated_at >= $2`,
      [network.gid, since],
    );
    for (const row of rows) this.#record(row);
  }

  #record(row: AssetRow): void {
    this.learn(row.gid, row.decimals ?? undefined, row.type === 'nft');
  }

  /**
   * Finds the decimals of what `moved`, each asset with an amount, in the database and, for new assets, on the chain. Returns the rows to
   * insert. Never fails because of the node: such an asset stays `unknown`, and discovery asks again. Those of `mentioned`
   * that nobody knows are new assets where the chain says that they are tokens, and nothing otherwise.
   */
  async prepare(
    moved: ReadonlyMap<string, bigint>,
    signal: AbortSignal,
    mentioned: ReadonlySet<string> = new Set(),
  ): Promise<NewAsset[]> {
    const isOpen = (gid: string): boolean => !this.#decimals.has(gid) && !this.#unsaved.has(gid);
    const open = [...moved.keys()].filter(isOpen);
    const strangers = [...mentioned]
      .filter((gid) => isOpen(gid) && !moved.has(gid) && !this.#held.has(gid))
      .filter((gid) => (this.#strangers.get(gid) ?? 0) <= Date.now())
      .slice(0, STRANGERS_MAX);
    const known = await this.#loadKnown([...open, ...strangers]);
    const isFresh = (gid: string): boolean => !known.has(gid);
    await Promise.all([
      this.#readFresh(open.filter(isFresh), moved, signal),
      this.#readStrangers(strangers.filter(isFresh), signal),
    ]);
    return [...moved.keys(), ...mentioned]
      .map((gid) => this.#unsaved.get(gid))
      .filter((asset) => asset !== undefined);
  }

  async #loadKnown(gids: readonly string[]): Promise<Set<string>> {
    if (gids.length === 0) return new Set();
    const { rows } = await this.#deps.sql.query<AssetRow>(
      'SELECT gid, type, decimals FROM assets WHERE gid = ANY($1)',
      [gids],
    );
    for (const { gid, type, decimals } of rows) {
      if (decimals !== null) this.#decimals.set(gid, decimals);
      if (type === 'nft') this.#collections.add(gid);
    }
    return new Set(rows.map((row) => row.gid));
  }

  /** The step with these new assets and moved ones is committed. */
  markSaved(assets: readonly NewAsset[], movedGids: Iterable<string>): void {
    for (const { gid } of assets) {
      this.#unsaved.delete(gid);
      this.#held.add(gid);
    }
    for (const gid of movedGids) this.#held.add(gid);
  }

  /** @param decimals undefined: nobody knows them, or not any more */
  learn = (assetGid: string, decimals: number | undefined, isNft = false): void => {
    if (isNft) this.#collections.add(assetGid);
    else this.#collections.delete(assetGid);
    if (decimals === undefined) this.#decimals.delete(assetGid);
    else this.#decimals.set(assetGid, decimals);
    this.#held.add(assetGid);
  };

  async #readFresh(
    gids: readonly string[],
    moved: ReadonlyMap<string, bigint>,
    signal: AbortSignal,
  ): Promise<void> {
    if (gids.length === 0) return;
    const metadata = await this.#findMetadata(gids, signal, moved);
    for (const [position, gid] of gids.entries()) {
      const found = metadata?.[position];
      if (found !== undefined) this.#take(gid, found);
      else this.#unsaved.set(gid, { gid, status: metadata === undefined ? 'unknown' : 'invalid' });
    }
  }

  async #readStrangers(gids: readonly string[], signal: AbortSignal): Promise<void> {
    if (gids.length === 0) return;
    const metadata = await this.#findMetadata(gids, signal);
    if (this.#strangers.size > REMEMBERED_MAX) this.#strangers.clear();
    for (const [position, gid] of gids.entries()) {
      const found = metadata?.[position];
      // No balance of a collection is read.
      if (found !== undefined && found.isNft !== true) this.#take(gid, found);
      else this.#strangers.set(gid, metadata === undefined ? Date.now() + ASK_AGAIN_MS : Infinity);
    }
  }

  #take(gid: string, metadata: TokenMetadata): void {
    if (metadata.isNft === true) this.#collections.add(gid);
    if (metadata.decimals !== undefined) this.#decimals.set(gid, metadata.decimals);
    this.#unsaved.set(gid, { gid, status: 'active', metadata });
  }

  /** Undefined when the node has no metadata or does not answer in time. */
  async #findMetadata(
    gids: readonly string[],
    signal: AbortSignal,
    moved?: ReadonlyMap<string, bigint>,
  ): Promise<(TokenMetadata | undefined)[] | undefined> {
    const { client, metadataTimeoutMs } = this.#deps;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(metadataTimeoutMs)]);
    try {
      return await client().readTokens?.(gids, deadline, moved);
    } catch {
      return undefined;
    }
  }
}
