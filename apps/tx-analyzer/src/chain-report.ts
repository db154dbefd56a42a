import type { AnalyzerStatus } from './advance-cursor.ts';

export interface ChainReport {
  readonly chainGid: string;
  readonly status: AnalyzerStatus;
  /** Why it stands still. */
  readonly reason?: string;
  readonly lagBlocks: number;
  readonly cursorNumber?: number;
}
