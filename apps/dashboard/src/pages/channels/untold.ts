// SPDX-License-Identifier: Apache-2.0
import type { Blockchain } from '../../api/queries.ts';

type Reason = Blockchain['untold_reasons'][number];

/** How balances change on the chains that are followed without a transaction that tells it. */
export interface Untold {
  /** `Ethereum: withdrawals, adjustments` */
  readonly lines: readonly string[];
  /** Of all of them, each once. */
  readonly reasons: readonly Reason[];
}

const WORDS: Readonly<Record<Reason, string>> = {
  withdrawal: 'withdrawals of validators',
  reward: 'block rewards and mints',
  mint: 'deposits from L1',
  atomic: 'imports and exports',
  staking_reward: 'staking rewards',
  stake_withdrawal: 'withdrawn stakes',
  adjustment: 'unexplained differences',
};

export function listUntold(
  chains: readonly Pick<Blockchain, 'display_name' | 'is_active' | 'untold_reasons'>[],
): Untold {
  const silent = chains.filter((chain) => chain.is_active && chain.untold_reasons.length > 0);
  return {
    // A newer API may have reasons without words here.
    lines: silent.map(
      ({ display_name: name, untold_reasons: reasons }) =>
        `${name}: ${reasons.map((one) => WORDS[one] ?? one).join(', ')}`,
    ),
    reasons: [...new Set(silent.flatMap((chain) => chain.untold_reasons))],
  };
}
