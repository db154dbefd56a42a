// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  blockQuery,
  deliveriesOfEventQuery,
  eventsOfTransactionQuery,
  type EventItem,
  type Transaction,
} from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryRow } from '../deliveries/delivery-row.tsx';
import { Step } from './step.tsx';
import { policyQuery } from '../../api/chain-queries.ts';

interface EventStepsProps {
  readonly transactionId: string;
  readonly isOpen: boolean;
}

/** What was told of it, and to whom. */
export function EventSteps({ transactionId, isOpen }: EventStepsProps) {
  const query = useQuery(eventsOfTransactionQuery(transactionId));
  if (query.error)
    return (
      <Step tone="bad" title="Events">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Step>
    );
  if (query.isPending)
    return (
      <Step tone="wait" title="Events">
        <Waiting rows={2} />
      </Step>
    );
  if (query.data.items.length === 0)
    return (
      <Step tone="wait" title="No event">
        <p className="px-4 py-2.5 text-[13px] text-soft">
          {isOpen ? 'The event follows in a moment.' : 'Events are kept for 30 days by default.'}
        </p>
      </Step>
    );
  return query.data.items.map((event) => <EventStep key={event.event_id} event={event} />);
}

function EventStep({ event }: { readonly event: EventItem }) {
  const may = useMay();
  const query = useQuery({ ...deliveriesOfEventQuery(event.event_id), enabled: may('api:delivery:read') });
  const deliveries = query.data?.items ?? [];
  const isUndelivered = deliveries.some(({ status }) => status === 'failed');
  const isWaiting = deliveries.some(({ status }) => status === 'pending' || status === 'held');
  return (
    <Step
      tone={isUndelivered ? 'bad' : isWaiting ? 'wait' : 'ok'}
      title={
        <Link
          to="/events/$id"
          params={{ id: event.event_id }}
          className="font-mono text-[13px] hover:text-accent-ink"
        >
          {event.type}
        </Link>
      }
      aside={<Time at={event.created_at} />}
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && deliveries.length === 0 && (
        <p className="px-4 py-2.5 text-[13px] text-soft">
          No channel subscribes to this event.{' '}
          <Link to="/channels" className="text-accent-ink underline">
            View channels
          </Link>
        </p>
      )}
      {deliveries.length > 0 && (
        <ul aria-label={`Deliveries of ${event.type}`} className="divide-y divide-line">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
    </Step>
  );
}

/** In which block it is, if in any, and whether the chain still has that block. */
export function BlockStep({ transaction }: { readonly transaction: Transaction }) {
  const { chain_gid, block_number: number, block_hash: hash, block_timestamp: at, status } = transaction;
  const may = useMay();
  const block = useQuery({
    ...blockQuery(chain_gid, number ?? 0),
    enabled: number !== null && may('api:block:read'),
  });
  if (number === null)
    return status === 'failed' ? (
      <Step tone="bad" title="Transaction dropped">
        <p className="px-4 py-2.5 text-[13px] text-soft">
          {transaction.replaced_by === null
            ? 'The network dropped the transaction.'
            : 'Another transaction spent the same coins or used the same nonce.'}
        </p>
      </Step>
    ) : (
      <Step tone="wait" title="Waiting for a block" />
    );
  return (
    <Step
      tone={status === 'reorged' ? 'bad' : 'ok'}
      title={
        <>
          {status === 'reorged' ? 'Was in block' : 'In block'}{' '}
          <span className="tabular-nums">{number.toLocaleString()}</span>
        </>
      }
      aside={at !== null && <Time at={at} />}
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]">
        {hash !== null && <Hash text={hash} />}
        {status !== 'reorged' && <ExplorerLink chainGid={chain_gid} about={{ block: { number, hash } }} />}
        {block.data && hash === block.data.hash && <Status of={block.data.status} />}
        {status === 'reorged' && (
          <p className="text-soft">
            The chain replaced this block. The transaction does not count unless another block includes it.
          </p>
        )}
      </div>
    </Step>
  );
}

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
