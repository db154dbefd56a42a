import { splitAssetGid } from '@chainwatch/caip';
import type { ChainClient, Network, TokenMetadata } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/db';
import type { NewAsset } from '../model/blocks-step.ts';

interface AssetRow {
  readonly gid: string;
  readonly decimals: number | null;
}

interface AssetRegistryDeps {
  readonly sql: Sql;
  readonly network: Network;
  readonly client: () => ChainClient;
  /** How long an event may wait for a token's metadata. After that its amounts are null. */
  readonly metadataTimeoutMs: number;
}

/** What is known of the assets of one chain: decimals for amounts, and which rows exist. */
export class AssetRegistry {
  readonly #deps: AssetRegistryDeps;
  readonly #decimals = new Map<string, number>();
  /** Assets that somebody may hold: only these are read again when their contract was touched. */
  readonly #held = new Set<string>();
  /** Read from the chain, not committed yet. */
  readonly #unsaved = new Map<string, NewAsset>();

  constructor(deps: AssetRegistryDeps) {
    this.#deps = deps;
    this.#decimals.set(deps.network.native.gid, deps.network.native.decimals);
  }

  decimalsOf = (assetGid: string): number | undefined => this.#decimals.get(assetGid);

  isHeld(assetGid: string): boolean {
    return this.#held.has(assetGid);
  }

  /** Loads the chain's assets, and creates the native one. */
  async load(): Promise<void> {
    const { sql, network } = this.#deps;
    const { gid, name, symbol, decimals } = network.native;
    const { namespace, reference } = splitAssetGid(gid);
    await sql.query(
      `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, name, symbol, decimals, source)
       VALUES ($1, $2, $3, $4, 'native', 'active', $5, $6, $7, 'registry') ON CONFLICT (gid) DO NOTHING`,
      [gid, network.gid, namespace, reference, name, symbol, decimals],
    );
    const { rows } = await sql.query<AssetRow>(
      `SELECT gid, decimals FROM assets WHERE chain_gid = $1 AND type = 'fungible'`,
      [network.gid],
    );
    for (const row of rows) this.#record(row);
  }

  /** Loads assets that the API registered meanwhile. */
  async refresh(since: Date): Promise<void> {
    const { sql, network } = this.#deps;
    const { rows } = await sql.query<AssetRow>(
      `SELECT gid, decimals FROM assets WHERE chain_gid = $1 AND type = 'fungible' AND updated_at >= $2`,
      [network.gid, since],
    );
    for (const row of rows) this.#record(row);
  }

  #record(row: AssetRow): void {
    this.learn(row.gid, row.decimals ?? undefined);
  }

  /**
   * Finds the decimals of `assetGids` in the database and, for new assets, on the chain. Returns the rows to
   * insert. Never fails because of the node: such an asset stays `unknown`, and discovery asks again.
   */
  async prepare(assetGids: ReadonlySet<string>, signal: AbortSignal): Promise<NewAsset[]> {
    const asked = [...assetGids].filter((gid) => !this.#decimals.has(gid) && !this.#unsaved.has(gid));
    if (asked.length > 0) {
      const { rows } = await this.#deps.sql.query<AssetRow>(
        'SELECT gid, decimals FROM assets WHERE gid = ANY($1)',
        [asked],
      );
      for (const row of rows) if (row.decimals !== null) this.#decimals.set(row.gid, row.decimals);
      const known = new Set(rows.map((row) => row.gid));
      const fresh = asked.filter((gid) => !known.has(gid));
      if (fresh.length > 0) await this.#readFresh(fresh, signal);
    }
    return [...assetGids].map((gid) => this.#unsaved.get(gid)).filter((asset) => asset !== undefined);
  }

  /** The step with these new assets and moved ones is committed. */
  markSaved(assets: readonly NewAsset[], movedGids: Iterable<string>): void {
    for (const { gid } of assets) this.#unsaved.delete(gid);
    for (const gid of movedGids) this.#held.add(gid);
  }

  /** @param decimals undefined: nobody knows them, or not any more */
  learn = (assetGid: string, decimals: number | undefined): void => {
    if (decimals === undefined) this.#decimals.delete(assetGid);
    else this.#decimals.set(assetGid, decimals);
    this.#held.add(assetGid);
  };

  async #readFresh(gids: readonly string[], signal: AbortSignal): Promise<void> {
    const metadata = await this.#findMetadata(gids, signal);
    for (const [position, gid] of gids.entries()) {
      const found = metadata?.[position];
      if (found?.decimals !== undefined) this.#decimals.set(gid, found.decimals);
      this.#unsaved.set(
        gid,
        found !== undefined
          ? { gid, status: 'active', metadata: found }
          : { gid, status: metadata === undefined ? 'unknown' : 'invalid' },
      );
    }
  }

  /** Undefined when the node has no metadata or does not answer in time. */
  async #findMetadata(
    gids: readonly string[],
    signal: AbortSignal,
  ): Promise<(TokenMetadata | undefined)[] | undefined> {
    try {
      return await this.#deps
        .client()
        .readTokens?.(gids, AbortSignal.any([signal, AbortSignal.timeout(this.#deps.metadataTimeoutMs)]));
    } catch {
      return undefined;
    }
  }
}
