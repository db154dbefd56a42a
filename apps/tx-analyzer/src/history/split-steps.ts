// SPDX-License-Identifier: Apache-2.0
import type { MatchedTransaction } from '../model/matched-transaction.ts';

/** Transfers, or transactions without one, in one step at most; a transaction stays whole. */
const STEP_ROWS = 500;

/** At least one step, so that there is one for the progress. */
export function splitSteps(
  matches: readonly MatchedTransaction[],
  rowsMax = STEP_ROWS,
): readonly (readonly MatchedTransaction[])[] {
  const steps: MatchedTransaction[][] = [[]];
  let rows = 0;
  for (const match of matches) {
    const weight = Math.max(1, match.transfers.length);
    if (rows > 0 && rows + weight > rowsMax) {
      steps.push([]);
      rows = 0;
    }
    steps.at(-1)!.push(match);
    rows += weight;
  }
  return steps;
}
