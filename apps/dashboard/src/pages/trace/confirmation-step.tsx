// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { policyQuery } from '../../api/chain-queries.ts';
import type { Transaction } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Time } from '../../ui/time.tsx';
import { Step } from './step.tsx';

/** How far it is from final, and what that means. */
export function ConfirmationStep({ transaction }: { readonly transaction: Transaction }) {
  const { confirmations, required_confirmations: required, status, confirmed_at } = transaction;
  const isByPolicy = useIsByPolicy(transaction);
  if (status === 'reorged' || (status === 'failed' && transaction.block_number === null)) return null;
  const isFinal = status === 'confirmed';
  const shown = isFinal ? required : Math.min(confirmations, required);
  return (
    <Step
      tone={isFinal ? 'ok' : 'wait'}
      title={
        <span className="tabular-nums">
          {isFinal ? 'Confirmed' : `Confirmations ${shown} of ${required}`}
        </span>
      }
      aside={confirmed_at === null ? undefined : <Time at={confirmed_at} />}
    >
      <div className="flex flex-col gap-1.5 px-4 py-3">
        <progress
          aria-label="Confirmations"
          value={shown}
          max={Math.max(required, 1)}
          className="h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-ok-dot [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:rounded-full [&::-webkit-progress-value]:bg-ok-dot [&::-webkit-progress-value]:transition-all"
        />
        <p className="text-[13px] text-soft tabular-nums">
          {isFinal
            ? sayFinal(required, isByPolicy)
            : `${isByPolicy ? `This project requires ${sayConfirmations(required)}. ` : ''}${textOfWait(transaction.verification)}`}
        </p>
      </div>
    </Step>
  );
}

/** Whether the number of confirmations is the one that the project asks for now. */
function useIsByPolicy({ chain_gid: gid, required_confirmations: required }: Transaction): boolean {
  const { data } = useQuery({ ...policyQuery(gid), enabled: useMay()('api:confirmation_policy:read') });
  return data?.depth === required;
}

function sayFinal(required: number, isByPolicy: boolean): string {
  return isByPolicy
    ? `Confirmed: ${required.toLocaleString('en')} of ${sayConfirmations(required)} (project policy)`
    : `Confirmed: ${sayConfirmations(required)}, or final on the chain.`;
}

function sayConfirmations(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'confirmation' : 'confirmations'}`;
}

/** Transactions without evidence are confirmed later than their block is final. */
function textOfWait(verification: Transaction['verification']): string {
  if (verification === 'settling')
    return 'The transaction is confirmed after the last confirmation and its proof, which a later block brings.';
  if (verification === 'unproved')
    return 'The proof is missing. The transaction waits for it, for another node, or for the operator, also after the last confirmation.';
  return 'The transaction is final after the last confirmation. transaction.confirmed is sent then.';
}
