import type { Database, Transaction } from '@chainwatch/db';
import { lockWithToken } from '@chainwatch/db';
import type { Advance } from './advance-cursor.ts';
import type { AssetBook } from './asset-book.ts';
import type { BackfillBatch } from './backfill-batch.ts';
import type { BlockRing } from './block-ring.ts';
import type { ChainContext } from './chain-context.ts';
import type { FamilyWatch } from './family-watch.ts';
import type { EarlierCoins } from './find-earlier-coins.ts';
import { findLateCandidates, type LateReader } from './find-late-matches.ts';
import type { OutboxEvent } from './planned-event.ts';
import { movedTokens, prepareBlocks } from './prepare-blocks.ts';
import { openingOf, writeStep } from './run-step.ts';
import { settleBackfill } from './settle-backfill.ts';

interface Delivery {
  readonly batch: BackfillBatch;
  readonly found: EarlierCoins;
  readonly resolve: (isWhole: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface DeskDeps {
  readonly db: Database;
  readonly chain: ChainContext;
  readonly watch: FamilyWatch;
  readonly assets: AssetBook;
  readonly ring: BlockRing;
  readonly now: () => Date;
  readonly onNews: () => void;
}

/** Where found coins wait for the chain's only writer, one batch at a time. */
export class BackfillDesk {
  readonly #deps: DeskDeps;
  #delivery: Delivery | undefined;
  #end: { readonly error: unknown } | undefined;

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  get hasWork(): boolean {
    return this.#delivery !== undefined;
  }

  /** Resolves when the coins are committed: to false when some addresses have to be looked for again. */
  hand = (batch: BackfillBatch, found: EarlierCoins): Promise<boolean> =>
    new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end.error);
      this.#delivery = { batch, found, resolve, reject };
      this.#deps.onNews();
    });

  /** The owner of the chain lets go: nobody takes anything over here any more. */
  cancel(error: unknown): void {
    this.#end = { error };
    this.#delivery?.reject(error);
    this.#delivery = undefined;
  }

  /**
   * One transaction: the coins, and what the blocks that were analysed meanwhile did with them, which is told as if it had
   * been seen then.
   */
  async settle(readBody: LateReader, advance: Advance, signal: AbortSignal): Promise<OutboxEvent[]> {
    const delivery = this.#delivery!;
    this.#delivery = undefined;
    try {
      // Before they are committed: the next block may spend one.
      this.#deps.chain.utxo?.coins.add(delivery.found.coins);
      const { events, settledCount } = await this.#deps.db.transaction((sql) => settleIn(sql, { ...this.#deps, readBody, signal }, delivery, advance));
      delivery.resolve(settledCount === delivery.batch.addresses.length);
      return events;
    } catch (error) {
      delivery.reject(error);
      throw error;
    }
  }
}

interface SettleDeps extends DeskDeps {
  readonly readBody: LateReader;
  readonly signal: AbortSignal;
}

async function settleIn(sql: Transaction, deps: SettleDeps, { batch, found }: Delivery, advance: Advance): Promise<{ events: OutboxEvent[]; settledCount: number }> {
  const { chain, watch, assets, ring, readBody, signal } = deps;
  const { cursor } = advance;
  const { gid: chainGid, family, network, utxo } = chain;
  await lockWithToken(sql, 'analyzer_states', chainGid, chain.token);
  const settled = await settleBackfill(sql, chainGid, batch, found);
  const passed = cursor.number ?? -1;
  const late = settled.filter((entry) => entry.watchedFrom <= passed).map(({ id, address, watchedFrom }) => ({ id, address, fromBlock: watchedFrom }));
  const candidates = await findLateCandidates({ sql, chainGid, ring, readBody, ...(utxo === undefined ? {} : { codec: utxo.codec }) }, late, passed);
  const step = await prepareBlocks({ sql, chainGid, family, network, watch, assets, ...(utxo === undefined ? {} : { utxo }) }, [], late, candidates, signal);
  const input = { segment: { entries: [], orphans: [], blocks: [] }, step, cursor, advance, settlement: { mined: [], dropped: [] }, now: deps.now() };
  const opening = openingOf(chain, step);
  const events = await writeStep(sql, chain, input, opening, (await sql.query(opening)).rows, false);
  assets.markSaved(step.newAssets, movedTokens(step.late, network.native.gid));
  return { events, settledCount: settled.length };
}
