import type { Transaction } from '../../api/queries.ts';
import { Time } from '../../ui/time.tsx';
import { Step } from './step.tsx';

/** How far it is from final, and what that means. */
export function ConfirmationStep({ transaction }: { readonly transaction: Transaction }) {
  const { confirmations, required_confirmations: required, status, confirmed_at } = transaction;
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
            ? `Final by what this project asks for: ${required} confirmations, or the chain's own word.`
            : textOfWait(transaction.verification)}
        </p>
      </div>
    </Step>
  );
}

/** Transactions without evidence are confirmed later than their block is final. */
function textOfWait(verification: Transaction['verification']): string {
  if (verification === 'settling')
    return 'The transaction is confirmed after the last confirmation and its proof, which a later block brings.';
  if (verification === 'unproved')
    return 'The proof is missing. The transaction waits for it, for another node, or for the operator, also after the last confirmation.';
  return 'With the last one it counts as final, and transaction.confirmed is told.';
}
