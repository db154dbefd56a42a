// SPDX-License-Identifier: Apache-2.0
import type { AnalyzerStatus } from '../model/chain-cursor.ts';

/** The state of a chain on this replica. */
export interface ChainReport {
  readonly chainGid: string;
  /** `standby`: another replica owns the chain. `unknown`: it could not be found out who does. */
  readonly status: AnalyzerStatus | 'standby' | 'unknown';
  /** Why it stands still, or why its state is unknown. */
  readonly reason?: string;
  readonly lagBlocks: number;
  readonly cursorNumber?: number;
  /** When the ingestor recorded the first entry that is not analysed; absent: there is none. */
  readonly waitingSinceMs?: number | undefined;
}
