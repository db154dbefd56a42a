import type { Logger } from '@chainwatch/telemetry';
import type { AnalyzerStatus } from '../commit/advance-cursor.ts';
import { writeStalled } from '../commit/analyzer-state.ts';
import type { Body } from '../feed/body-prefetcher.ts';
import type { ChainContext } from '../model/chain-context.ts';

interface ReporterDeps {
  readonly logger: Logger;
  readonly chain: ChainContext;
}

/** A body that takes longer than this is reported as a stall. */
const STALL_MS = 3_000;

/** Reports the status of a chain, and why it stands still, to the log and the database when it changes. */
export class ChainStatusReporter {
  readonly #deps: ReporterDeps;
  #status: AnalyzerStatus = 'catching_up';
  #reason: string | undefined;
  #waitingSince = 0;

  constructor(deps: ReporterDeps) {
    this.#deps = deps;
  }

  get status(): AnalyzerStatus {
    return this.#status;
  }

  get reason(): string | undefined {
    return this.#reason;
  }

  /** After a committed step, which has written the status itself. */
  reportStep(status: AnalyzerStatus): void {
    this.#status = status;
    this.#reason = undefined;
  }

  /** Nothing waits for a body any more. */
  reportProgress(): void {
    this.#waitingSince = 0;
  }

  /** The body of the next block is missing. */
  async reportWaiting(
    { number, hash }: Body['entry'],
    trouble: string | undefined,
    nowMs: number,
  ): Promise<void> {
    if (this.#waitingSince === 0) this.#waitingSince = nowMs;
    const isSlow = nowMs - this.#waitingSince >= STALL_MS;
    if (trouble === undefined && !isSlow) return;
    await this.reportStall(trouble ?? `block ${number} ${hash} is being read for more than ${STALL_MS} ms`);
  }

  reportTrouble = (reason: string): void => {
    void this.reportStall(reason).catch(() => undefined);
  };

  async reportStall(reason: string): Promise<void> {
    if (this.#status === 'stalled' && this.#reason === reason) return;
    this.#status = 'stalled';
    this.#reason = reason;
    const { logger, chain } = this.#deps;
    logger.error({ chain_gid: chain.gid, reason }, 'the chain stalled');
    await writeStalled(chain, reason);
  }
}
