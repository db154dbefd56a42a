// SPDX-License-Identifier: Apache-2.0
import type { PublicKey } from '../../api/public-key-queries.ts';

type Gap = Pick<PublicKey, 'next_index' | 'last_used_index' | 'gap_limit'>;

/** Receive addresses behind the last used one: wallets stop to look after `gap_limit` of them. */
function countUnused({ next_index: next, last_used_index: used }: Gap): number | undefined {
  return next === null ? undefined : next - 1 - (used ?? -1);
}

export function GapBar({ publicKey }: { readonly publicKey: Gap }) {
  const unused = countUnused(publicKey);
  const { gap_limit: limit } = publicKey;
  if (unused === undefined) return <span className="text-warn">No index left</span>;
  return (
    <span className="flex w-full min-w-0 flex-col">
      <progress
        aria-label={`${unused} of ${limit} unused addresses in a row`}
        value={Math.min(unused, limit)}
        max={limit}
        className="h-1.5 w-full accent-accent"
      />
      <span className={unused > limit ? 'text-xs text-warn' : 'text-xs text-soft'}>
        {unused.toLocaleString()} unused, wallets scan {limit.toLocaleString()}
      </span>
    </span>
  );
}
