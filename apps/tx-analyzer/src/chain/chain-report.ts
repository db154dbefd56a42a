import type { AnalyzerStatus } from '../commit/advance-cursor.ts';

/** How a chain does on this replica. */
export interface ChainReport {
  readonly chainGid: string;
  /** `standby`: another replica owns the chain. `unknown`: nobody could tell who does. */
  readonly status: AnalyzerStatus | 'standby' | 'unknown';
  /** Why it stands still, or is not known. */
  readonly reason?: string;
  readonly lagBlocks: number;
  readonly cursorNumber?: number;
}
