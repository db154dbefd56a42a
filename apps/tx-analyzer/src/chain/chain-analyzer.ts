// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import type { PayloadOf } from '@chainwatch/events';
import { ShareLostError } from '@chainwatch/data/ownership';
import { readCursor } from '../commit/analyzer-state.ts';
import { followDepth } from '../commit/follow-depth.ts';
import { isHolding, type ChainCursor } from '../model/chain-cursor.ts';
import type { Segment } from '../model/segment.ts';
import { ChainWatch } from '../watch/chain-watch.ts';
import type { ChainAnalyzerDeps } from './chain-analyzer-deps.ts';
import type { ChainParts } from './chain-parts.ts';
import type { ChainReport } from './chain-report.ts';
import { runChainStep, planStep, type StepParts, type StepWork } from './run-chain-step.ts';
import { endRehearsal, findPoison, rehearse, type Poison } from '@chainwatch/data/quarantine';
import { recordPoison } from '../commit/record-poison.ts';
import { writeStep, type StepInput } from '../commit/run-step.ts';
import { movedTokens } from '../match/prepare-blocks.ts';
import type { BlocksStep } from '../model/blocks-step.ts';
import type { ChainContext } from '../model/chain-context.ts';
import type { MatchedTransaction } from '../model/matched-transaction.ts';
import { keyOf, type SetAsideKey } from '../model/set-asides.ts';

const NOTHING: Segment = { entries: [], orphans: [], blocks: [] };
/** When behind, steps start at least this far apart: one step for several blocks costs less than one for each. */
const GATHER_MS = 20;

/** Works through the feed of one chain, as its only owner: a loop of steps, each of them one transaction. */
export class ChainAnalyzer {
  readonly #deps: ChainAnalyzerDeps;
  readonly #parts: ChainParts;
  #watch!: ChainWatch;

  constructor(deps: ChainAnalyzerDeps, parts: ChainParts) {
    this.#deps = deps;
    this.#parts = parts;
  }

  get report(): ChainReport {
    const { chain, feed, status } = this.#parts;
    const { number } = feed.cursor;
    return {
      chainGid: chain.gid,
      status: status.status,
      reason: status.reason,
      lagBlocks: feed.lagBlocks,
      cursorNumber: number,
      waitingSinceMs: feed.first?.seenAtMs,
    };
  }

  /** Addresses may have changed: look now. */
  notify = (): void => {
    this.#watch?.expectUpdates();
    this.#parts.wake.notify();
  };

  /** Takes a message of the ingestor, so that the next entry needs no query. */
  push = (payload: PayloadOf<'block.new'>, traceparent?: string): void => {
    this.#parts.feed.push(payload, traceparent);
    this.#parts.wake.notify();
  };

  /** There may be entries whose message did not arrive. */
  readFeed = (): void => {
    this.#parts.feed.expectEntries();
    this.#parts.wake.notify();
  };

  /** Runs until the signal aborts. @throws ShareLostError when another replica took over */
  async run(signal: AbortSignal): Promise<void> {
    const { feed, mempool, wake, writerQueue } = this.#parts;
    const end = new AbortController();
    signal.addEventListener('abort', wake.notify, { once: true });
    const watching = mempool.watch(AbortSignal.any([signal, end.signal]));
    try {
      await this.#loop(signal);
    } finally {
      signal.removeEventListener('abort', wake.notify);
      feed.close();
      writerQueue.cancel(new Error('the chain was given back'));
      end.abort();
      await watching;
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { feed, recovery, wake } = this.#parts;
    let isLoaded = false;
    while (!signal.aborted) {
      try {
        const startedAtMs = performance.now();
        if (!isLoaded) await this.#load();
        isLoaded = true;
        const isBusy = await this.#look(signal);
        recovery.finish();
        if (!isBusy) await wake.wait(this.#deps.options.pollMs);
        if (feed.isBehind && !signal.aborted)
          await delay(Math.max(0, startedAtMs + GATHER_MS - performance.now()));
      } catch (error) {
        if (error instanceof ShareLostError) throw error;
        if (signal.aborted) return;
        isLoaded = false;
        await wake.wait(await recovery.fail(error));
      }
    }
  }

  /** Reads where the chain is; everything in memory that is not committed is dropped. */
  async #load(): Promise<void> {
    const { db, family, relay } = this.#deps;
    const { chain, assets, feed, mempool } = this.#parts;
    // What the previous owner left, or a commit of which no answer came.
    void relay.catchUp();
    const { cursor, watchXid } = await readCursor(db, chain.gid);
    await assets.load();
    await chain.setAsides.load(db, chain.gid);
    await chain.utxo?.coins.load();
    this.#watch = new ChainWatch({ sql: db, chainGid: chain.gid, family, storedXid: watchXid });
    await mempool.load();
    await this.#followDepth(cursor);
    if (cursor.seq === 0) this.#watch.skipToLoaded();
    feed.resume(cursor);
  }

  /**
   * Looks once at queued work, feed and addresses, and runs the step they call for. False when there was nothing to
   * do.
   */
  async #look(signal: AbortSignal): Promise<boolean> {
    const { feed, recovery, status, writerQueue } = this.#parts;
    // Before the address updates: addresses that are retroactive by then belong to the step.
    if (writerQueue.hasWork) await this.#runQueued(signal);
    const nowMs = Date.now();
    await feed.load(nowMs);
    await this.#readUpdates();
    const segment = feed.nextSegment();
    const { first } = feed;
    if (segment !== undefined || first === undefined) status.reportProgress();
    else await status.reportWaiting(first, feed.troubleOf(first), nowMs);
    // A chain that was stalled and has nothing to do any more reports its recovery, too.
    const hasRecovered = status.reason !== undefined && first === undefined;
    if (segment === undefined && this.#watch.retroactive.length === 0 && !hasRecovered) {
      return this.#lookAtMempool();
    }
    const work = { segment: segment ?? NOTHING, watch: this.#watch, signal };
    if (recovery.isSuspect) await setAsidePoison(this.#deps, this.#parts, work);
    await runChainStep(this.#deps, this.#parts, work);
    return true;
  }

  /**
   * Bodies arrive meanwhile. An address registered between this look and the step is retroactive at the next look.
   */
  async #readUpdates(): Promise<void> {
    const { chain, feed, mempool } = this.#parts;
    await this.#watch.readUpdates({
      nextHash: feed.first?.hash,
      cursorNumber: feed.cursor.number,
      everyMs: this.#deps.options.pollMs,
    });
    const { utxo } = chain;
    const addresses = this.#watch.drainUpdated();
    mempool.recheck(utxo === undefined ? addresses : addresses.map(utxo.codec.matchKeyOf));
  }

  /** Beside the steps: what was left at a crash, and what was withheld until now. */
  async #followDepth(cursor: ChainCursor): Promise<void> {
    const { db, now, relay } = this.#deps;
    const events = await followDepth(db, this.#parts.chain, { cursor, now: now() });
    if (!isHolding(cursor)) relay.publish(events);
  }

  async #runQueued(signal: AbortSignal): Promise<void> {
    const { db, family: watch, now, relay } = this.#deps;
    const { chain, client, assets, feed, writerQueue, passedBlockReader } = this.#parts;
    const { cursor, ring } = feed;
    const { watchXid } = this.#watch;
    const events = await writerQueue.runNext({
      ...{ db, chain, client, watch, assets, ring, now: now(), signal },
      readBody: passedBlockReader(signal),
      advance: { cursor, watchXid, isFarBehind: feed.isFarBehind(cursor), processed: [] },
    });
    if (!isHolding(cursor)) relay.publish(events);
    await this.#followDepth(cursor);
  }

  /** False when the mempool had nothing new. */
  async #lookAtMempool(): Promise<boolean> {
    const events = await this.#parts.mempool.step(this.#parts.feed.cursor);
    this.#deps.relay.publish(events);
    return events.length > 0;
  }
}

/**
 * Finds the transactions that make a step fail even alone, and sets them aside: what a transaction means to one project,
 * or, where it cannot even be looked at, the transaction for everybody.
 */
async function setAsidePoison(
  deps: Pick<ChainAnalyzerDeps, 'db' | 'now' | 'logger'>,
  parts: StepParts,
  work: StepWork,
): Promise<void> {
  const { chain } = parts;
  const plan = (): Promise<StepInput> => {
    return planStep(deps, parts, work);
  };
  const poison = (await findAmongMatches(chain, plan)) ?? (await findAmongTransactions(parts, work, plan));
  if (poison.length === 0) return;
  deps.logger.error(
    { chain_gid: chain.gid, hashes: poison.map(({ item }) => item.hash), err: poison[0]!.error },
    'transactions that made a step fail were set aside',
  );
  await chain.share.transaction((sql) => recordPoison(sql, chain, poison));
  await chain.setAsides.load(deps.db, chain.gid);
}

/** Undefined: it is none of what was matched. */
async function findAmongMatches(
  chain: ChainContext,
  plan: () => Promise<StepInput>,
): Promise<Poison<SetAsideKey>[] | undefined> {
  const input = await plan().catch(() => undefined);
  if (input === undefined) return undefined;
  const { retroactive, matches } = input.step;
  const keys = [...retroactive, ...matches].map(toKey);
  const nativeGid = chain.network.native?.gid;
  const poison = await findPoison(keys, (some) =>
    rehearseStep(chain, { ...input, step: keepMatches(input.step, new Set(some.map(keyOf)), nativeGid) }),
  );
  return poison.length === 0 ? undefined : poison;
}

async function findAmongTransactions(
  { chain }: StepParts,
  { segment }: StepWork,
  plan: () => Promise<StepInput>,
): Promise<Poison<SetAsideKey>[]> {
  const keys = segment.blocks.flatMap(({ block }) =>
    block === undefined
      ? []
      : chain.setAsides
          .keep(block)
          .map(({ hash }): SetAsideKey => ({ block: { number: block.number, hash: block.hash }, hash })),
  );
  return findPoison(keys, (some) =>
    chain.setAsides.withOnly(some, { among: keys }, async () => rehearseStep(chain, await plan())),
  );
}

function toKey({ block, transaction: { hash }, projectId }: MatchedTransaction): SetAsideKey {
  return { block: { number: block.number, hash: block.hash }, hash, projectId };
}

function keepMatches(step: BlocksStep, keys: ReadonlySet<string>, nativeGid: string | undefined): BlocksStep {
  const isKept = (match: MatchedTransaction): boolean => keys.has(keyOf(toKey(match)));
  const [retroactive, matches] = [step.retroactive.filter(isKept), step.matches.filter(isKept)];
  const moved = movedTokens([...retroactive, ...matches], nativeGid);
  return { ...step, retroactive, matches, newAssets: step.newAssets.filter(({ gid }) => moved.has(gid)) };
}

/** Writes the step, and takes it back. */
function rehearseStep(chain: ChainContext, input: StepInput): Promise<void> {
  return rehearse(() =>
    chain.share.transaction(async (sql) => {
      await writeStep({ sql, chain, now: input.now }, input);
      return endRehearsal(sql);
    }),
  );
}
