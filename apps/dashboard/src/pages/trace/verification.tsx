// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../api/queries.ts';
import { toWords } from '../../ui/status.tsx';

type Verification = NonNullable<Transaction['verification']>;

const MEANINGS: Readonly<Record<Verification, string>> = {
  proved: 'Matches the block header.',
  agreed: 'Nodes of different operators report the same.',
  attested: 'The chain offers no proof. One node reports it.',
  settling: 'A later block brings the proof. The transaction is not confirmed before.',
  trusted: 'Accepted by the operator of this service.',
  unproved:
    'The proof is missing. The transaction is confirmed when another node agrees, the proof arrives, or the operator accepts it.',
};

/** What stands behind a transaction, in words. A value of a newer release is shown without a meaning. */
export function Verification({ of }: { readonly of: Transaction['verification'] }) {
  if (of === null) return 'None: a test message';
  return (
    <>
      {toWords(of)}
      <span className="block text-faint">{MEANINGS[of]}</span>
    </>
  );
}
