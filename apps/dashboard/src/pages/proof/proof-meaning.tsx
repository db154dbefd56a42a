// SPDX-License-Identifier: Apache-2.0
import { Check, TriangleAlert, X, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Proof } from '../../api/proof-queries.ts';
import { Hash } from '../../ui/copy.tsx';
import { Panel } from '../../ui/panel.tsx';

/** What the hash of a block covers, by the type of its proof. */
const COVERED: Readonly<Partial<Record<string, string>>> = {
  mpt: 'The block hash covers the transaction, its receipt, and the logs in it. Transfers are decoded from these bytes.',
  merkle:
    'The block hash covers the transaction. Transfers are decoded from its outputs. Senders are not part of the proof.',
  signed_merkle:
    'The block hash covers the transaction and its result, and the producer signed it. Token transfers that a contract logs are not covered, so they are not shown.',
};

/** What a proof says and what it does not, or why there is none. */
export function ProofMeaning({ proof }: { readonly proof: Proof }) {
  if (proof.type === 'none') return <NoProof proof={proof} />;
  return (
    <Panel title="What this proof says">
      <ul className="flex flex-col gap-2.5 text-[13px]">
        <Line icon={Check} look="text-ok" label="Shown">
          The transaction is in block {proof.block_number.toLocaleString()}, if the chain has this block.{' '}
          {COVERED[proof.type] ?? 'This page does not know proofs of this type, and cannot verify it.'}
        </Line>
        <Line icon={X} look="text-bad" label="Not shown">
          It does not show that nothing else happened. A proof shows inclusion, not completeness.
        </Line>
        <Line icon={X} look="text-bad" label="Not shown">
          It does not show that the chain has this block, or keeps it. Take the block hash from a second
          source, and wait until the block is final.
        </Line>
      </ul>
    </Panel>
  );
}

function NoProof({ proof: { reason, signatures = [] } }: { readonly proof: Proof }) {
  return (
    <Panel title="No proof exists">
      <div className="flex flex-col gap-3 text-[13px]">
        <ul>
          <Line icon={TriangleAlert} look="text-warn" label="Reason">
            {reason ?? 'The service gave no reason.'}
          </Line>
        </ul>
        <p className="text-soft">
          Nothing on this page can be verified without trust in this service. Compare the transaction with a
          node or an explorer of your own.
        </p>
        {signatures.length > 0 && (
          <div>
            <p className="text-soft">Signatures of the transaction:</p>
            <ul>
              {signatures.map((signature) => (
                <li key={signature}>
                  <Hash text={signature} isWhole />
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Panel>
  );
}

interface LineProps {
  readonly icon: LucideIcon;
  readonly look: string;
  readonly label: string;
  readonly children: ReactNode;
}

function Line({ icon: Icon, look, label, children }: LineProps) {
  return (
    <li className="flex gap-2.5">
      <Icon aria-label={label} className={`mt-0.5 size-4 shrink-0 ${look}`} />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
