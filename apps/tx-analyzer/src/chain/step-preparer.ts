import type { Block } from '@chainwatch/chain-core';
import { findRetroactiveCandidates } from '../match/find-retroactive-candidates.ts';
import { prepareBlocks } from '../match/prepare-blocks.ts';
import type { BlocksStep, BlockToAnalyse } from '../model/blocks-step.ts';
import type { ChainCursor } from '../model/chain-cursor.ts';
import type { RetroactiveAddress } from '../watch/chain-watch.ts';

type PassedBlockDeps = Parameters<typeof findRetroactiveCandidates>[0];

interface PreparerDeps {
  readonly prepare: Parameters<typeof prepareBlocks>[0];
  readonly passed: (signal: AbortSignal) => PassedBlockDeps;
}

interface Preparing {
  readonly blocks: readonly BlockToAnalyse[];
  readonly retroactive: readonly RetroactiveAddress[];
  readonly cursor: ChainCursor;
  readonly signal: AbortSignal;
}

/** A preparation older than this is made anew: addresses may have been changed or removed. */
const EARLY_MS = 500;

interface Early {
  readonly block: Block;
  readonly cursor: ChainCursor;
  readonly step: BlocksStep;
  readonly atMs: number;
}

/** Finds out what blocks mean. The next block may be prepared before its entry of the feed is there. */
export class StepPreparer {
  readonly #deps: PreparerDeps;
  #early: Early | undefined;

  constructor(deps: PreparerDeps) {
    this.#deps = deps;
  }

  /** Prepares the block that follows `cursor` in advance, unless that was done a moment ago. */
  async prepareEarly(block: Block, cursor: ChainCursor, signal: AbortSignal): Promise<void> {
    if (block.parentHash !== cursor.hash || this.#findEarly(block, cursor) !== undefined) return;
    const atMs = performance.now();
    const step = await this.prepare({ blocks: [{ block }], retroactive: [], cursor, signal });
    this.#early = { block, cursor, step, atMs };
  }

  async prepare({ blocks, retroactive, cursor, signal }: Preparing): Promise<BlocksStep> {
    const [first, second] = blocks;
    const isSingle = first !== undefined && second === undefined && retroactive.length === 0;
    const early = isSingle ? this.#findEarly(first.block, cursor) : undefined;
    if (early !== undefined) {
      this.forgetEarly();
      return withTraceparent(early, first?.traceparent);
    }
    const candidates = await findRetroactiveCandidates(
      this.#deps.passed(signal),
      retroactive,
      cursor.number ?? -1,
    );
    return prepareBlocks(this.#deps.prepare, { blocks, retroactive, candidates, signal });
  }

  /** Addresses were added: a preparation without them is incomplete. */
  forgetEarly(): void {
    this.#early = undefined;
  }

  #findEarly(block: Block, cursor: ChainCursor): BlocksStep | undefined {
    const early = this.#early;
    return early?.block === block && early.cursor === cursor && performance.now() - early.atMs < EARLY_MS
      ? early.step
      : undefined;
  }
}

function withTraceparent(step: BlocksStep, traceparent: string | undefined): BlocksStep {
  if (traceparent === undefined) return step;
  return {
    ...step,
    matches: step.matches.map((match) => ({ ...match, traceparent })),
    reads: step.reads.map((read) => ({ ...read, traceparent })),
  };
}
