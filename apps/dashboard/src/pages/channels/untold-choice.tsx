// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { chainsQuery, type Blockchain } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Checkbox } from '../../ui/field.tsx';

type Reason = Blockchain['untold_reasons'][number];

/** How balances change on the chains that are followed without a transaction that tells it. */
interface Untold {
  /** `Ethereum: withdrawals, adjustments` */
  readonly lines: readonly string[];
  /** Of all of them, each once. */
  readonly reasons: readonly Reason[];
}

interface UntoldChoiceProps {
  readonly untold: Untold;
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

/** Undefined where every change on the chains that are followed is part of a transaction. */
export function useUntold(): Untold | undefined {
  const { data } = useQuery({ ...chainsQuery, enabled: useMay()('api:blockchain:read') });
  const untold = listUntold(data?.items ?? []);
  return untold.lines.length === 0 ? undefined : untold;
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

/** Whoever credits by transactions misses what none tells: it is offered with the reasons of the chains that are followed. */
export function UntoldChoice({ untold, isChosen, onChange }: UntoldChoiceProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-[13px] font-medium">Without a transaction</legend>
      <p className="text-xs text-faint">
        On these chains, balances also change without a transaction. Programs that credit by transactions miss
        these changes.
      </p>
      <ul className="text-xs text-faint">
        {untold.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <Checkbox
        label="Notify of these changes too"
        hint={`balance.changed, by reason: ${untold.reasons.join(', ')}`}
        checked={isChosen}
        onChange={(event) => onChange(event.target.checked)}
      />
    </fieldset>
  );
}
