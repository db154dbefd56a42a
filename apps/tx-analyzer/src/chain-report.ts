import type { AnalyzerStatus } from './advance-cursor.ts';

/** How a chain in the hands of this replica is doing. */
export interface ChainReport {
  readonly chainGid: string;
  readonly status: AnalyzerStatus;
  /** Why it stands still. */
  readonly reason?: string;
  readonly lagBlocks: number;
  readonly cursorNumber?: number;
}
