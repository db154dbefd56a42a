// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { EventRelay } from '@chainwatch/data/outbox';
import type { AnalyzerDeps, AnalyzerOptions } from '../model/analyzer-deps.ts';
import type { FamilyWatch } from '../watch/family-watch.ts';

/** What the owner of one chain works with. */
export interface ChainAnalyzerDeps extends Pick<AnalyzerDeps, 'db' | 'bus'> {
  readonly logger: Logger;
  readonly relay: EventRelay<'tx-analyzer'>;
  readonly family: FamilyWatch;
  readonly options: Required<AnalyzerOptions>;
  readonly reportReach: (isReachable: boolean) => void;
  readonly now: () => Date;
}
