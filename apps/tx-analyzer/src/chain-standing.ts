import { writeStalled, type AnalyzerStatus } from './advance-cursor.ts';
import type { AnalyzerLogger } from './analyzer-deps.ts';
import type { Body } from './body-prefetcher.ts';
import type { ChainContext } from './chain-context.ts';

interface StandingDeps {
  readonly logger: AnalyzerLogger;
  readonly chain: ChainContext;
}

/** A body that takes longer than that is a stall, and said so. */
const STALL_MS = 3_000;

/** How a chain does, and why it stands still when it does: told to the log and the database when it changes. */
export class ChainStanding {
  readonly #deps: StandingDeps;
  #status: AnalyzerStatus = 'catching_up';
  #reason: string | undefined;
  #waitingSince = 0;

  constructor(deps: StandingDeps) {
    this.#deps = deps;
  }

  get status(): AnalyzerStatus {
    return this.#status;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** A step is committed, and said so itself. */
  noteStep(status: AnalyzerStatus): void {
    this.#status = status;
    this.#reason = undefined;
  }

  /** Nothing waits for a body, or what waited goes on. */
  noteMoving(): void {
    this.#waitingSince = 0;
  }

  /** The body of the next block is not there. */
  async noteWaiting(
    { number, hash }: Body['entry'],
    trouble: string | undefined,
    nowMs: number,
  ): Promise<void> {
    if (this.#waitingSince === 0) this.#waitingSince = nowMs;
    const isSlow = nowMs - this.#waitingSince >= STALL_MS;
    if (trouble === undefined && !isSlow) return;
    await this.writeStalled(trouble ?? `block ${number} ${hash} is being read for more than ${STALL_MS} ms`);
  }

  setStalled = (reason: string): void => {
    void this.writeStalled(reason).catch(() => undefined);
  };

  async writeStalled(reason: string): Promise<void> {
    if (this.#status === 'stalled' && this.#reason === reason) return;
    this.#status = 'stalled';
    this.#reason = reason;
    const { logger, chain } = this.#deps;
    logger.error({ chain_gid: chain.gid, reason }, 'the chain stands still');
    await writeStalled(chain, reason);
  }
}
