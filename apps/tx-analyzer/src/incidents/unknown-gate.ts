// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  UnknownContentError,
  type Block,
  type BlockRef,
  type ChainClient,
  type UnknownPart,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { ChainContext } from '../model/chain-context.ts';
import { insertIncidentsSql } from '../commit/insert-incidents.ts';

interface GateDeps {
  readonly sql: Sql;
  readonly client: Pick<ChainClient, 'readBlock'>;
  readonly chain: Pick<ChainContext, 'gid' | 'share'>;
  readonly waitMs: number;
  /** Milliseconds, steady. */
  readonly now?: () => number;
}

/** What no endpoint gives for so long is asked for without the traces that nobody can give. */
const UNTRACED_MS = 60_000;
const FAILING_MAX = 1_000;

/**
 * Lets a block with something unknown pass once every kind in it has waited long enough. The start of the wait is
 * stored in the database, so that it ends at the same moment after a restart and on another replica.
 */
export class UnknownGate {
  readonly #deps: GateDeps;
  /** Since when no endpoint gives a block, by its hash: node after node fails at something in it. */
  readonly #failing = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /**
   * Reads the block. Where no endpoint has it in a known form, returns it as far as it is understood.
   * @throws UnknownContentError while something in it waits, and what the client throws
   */
  read = async (ref: BlockRef, signal: AbortSignal): Promise<Block> => {
    const takeUntraced = this.#hasFailed(ref);
    try {
      const block = await this.#readKnown(ref, { takeUntraced, signal });
      this.#failing.delete(ref.hash);
      return block;
    } catch (error) {
      if (error instanceof ChainClientError && !signal.aborted) this.#noteFailing(ref);
      throw error;
    }
  };

  async #readKnown(
    ref: BlockRef,
    { takeUntraced, signal }: { readonly takeUntraced: boolean; readonly signal: AbortSignal },
  ): Promise<Block> {
    try {
      return await this.#deps.client.readBlock(ref, signal, takeUntraced ? { takeUntraced } : undefined);
    } catch (error) {
      if (!(error instanceof UnknownContentError)) throw error;
      const block = await this.#readWaited(ref, error.unknowns, { takeUntraced, signal });
      if (block === undefined) throw error;
      return block;
    }
  }

  #hasFailed({ hash }: BlockRef): boolean {
    const failing = this.#failing.get(hash);
    if (failing === undefined) return false;
    return failing.lastMs - failing.sinceMs >= Math.min(UNTRACED_MS, this.#deps.waitMs);
  }

  /** One attempt follows the other: a failure of long ago begins no wait. */
  #noteFailing({ hash }: BlockRef): void {
    const { now = () => performance.now() } = this.#deps;
    const known = this.#failing.get(hash);
    const lastMs = now();
    const isFollowed = known !== undefined && lastMs - known.lastMs <= UNTRACED_MS / 2;
    this.#failing.set(hash, { sinceMs: isFollowed ? known.sinceMs : lastMs, lastMs });
    // Those that were undone, or given up.
    if (this.#failing.size > FAILING_MAX) this.#failing.delete(this.#failing.keys().next().value!);
  }

  async #readWaited(
    ref: BlockRef,
    unknowns: readonly UnknownPart[],
    { takeUntraced, signal }: { readonly takeUntraced: boolean; readonly signal: AbortSignal },
  ): Promise<Block | undefined> {
    if (!(await this.#hasWaited(ref, unknowns))) return undefined;
    const options = { takeUnknown: true, ...(takeUntraced && { takeUntraced }) };
    const block = await this.#deps.client.readBlock(ref, signal, options);
    // The endpoint that returned the block may name other unknown parts than the one that refused it.
    return (await this.#hasWaited(ref, block.unknowns ?? [])) ? block : undefined;
  }

  async #hasWaited(ref: BlockRef, unknowns: readonly UnknownPart[]): Promise<boolean> {
    if (unknowns.length === 0) return true;
    const { sql, chain, waitMs } = this.#deps;
    const { text, values } = insertIncidentsSql(chain.gid, ref, unknowns);
    await chain.share.transaction((owning) => owning.query(text, values));
    const { rows } = await sql.query<{ has_waited: boolean }>(
      `SELECT bool_and(EXISTS (SELECT FROM incidents i WHERE i.chain_gid = $1 AND i.kind = k.kind
         AND (i.status = 'accepted' OR i.status = 'open' AND i.created_at <= clock_timestamp() - $3 * interval '1 ms'))) AS has_waited
       FROM unnest($2::text[]) AS k (kind)`,
      [chain.gid, unknowns.map(({ kind }) => kind), waitMs],
    );
    return rows[0]!.has_waited;
  }
}
