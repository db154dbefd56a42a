// SPDX-License-Identifier: Apache-2.0
import { useParams } from '@tanstack/react-router';
import { isOpen, type Transaction } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { toWords } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Moved } from '../transactions/moved-amounts.tsx';
import { Customers } from '../transactions/customers.tsx';
import { BalanceStep } from './balance-step.tsx';
import { BlockStep } from './block-step.tsx';
import { ConfirmationStep } from './confirmation-step.tsx';
import { EventSteps } from './event-steps.tsx';
import { Step } from './step.tsx';
import { TransactionFrame } from './transaction-frame.tsx';
import { Transfers } from './transfers.tsx';
import { Verification } from './verification.tsx';

/** Where a payment is: from the chain to whoever was told of it. */
export function TracePage() {
  const { id } = useParams({ from: '/shell/transactions/$id' });
  return <TransactionFrame id={id}>{(transaction) => <Trace transaction={transaction} />}</TransactionFrame>;
}

function Trace({ transaction }: { readonly transaction: Transaction }) {
  const may = useMay();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <ol aria-label="Steps of this payment" className="flex min-w-0 flex-col">
        <Step
          tone={transaction.status === 'failed' ? 'bad' : 'ok'}
          title={transaction.status === 'pending' ? 'Detected in the mempool' : 'Transaction detected'}
          aside={<Time at={transaction.detected_at} />}
        >
          <Transfers transaction={transaction} />
        </Step>
        <BlockStep transaction={transaction} />
        <ConfirmationStep transaction={transaction} />
        {may('api:event:read') && <EventSteps transactionId={transaction.id} isOpen={isOpen(transaction)} />}
        {may('api:address:read') && <BalanceStep transaction={transaction} />}
      </ol>
      <Panel title="Details">
        <Details transaction={transaction} />
      </Panel>
    </div>
  );
}

function Details({ transaction }: { readonly transaction: Transaction }) {
  const { fee } = transaction;
  return (
    <Facts>
      <Fact name="Hash">
        <Hash text={transaction.hash} isWhole />
        <ExplorerLink chainGid={transaction.chain_gid} about={{ transaction: transaction.hash }} />
      </Fact>
      <Fact name="Chain">
        <ChainName gid={transaction.chain_gid} className="align-bottom" />{' '}
        <span className="font-mono break-all text-faint">{transaction.chain_gid}</span>
      </Fact>
      {transaction.addresses.length > 0 && (
        <Fact name="Customer">
          <Customers transaction={transaction} />
        </Fact>
      )}
      <Fact name="Direction">{toWords(transaction.direction)}</Fact>
      {fee && (
        <Fact name="Fee">
          <Moved
            sign=""
            transfer={{
              ...fee,
              index: 0,
              type: 'native',
              from: null,
              to: null,
              decimals: null,
              log_index: null,
              memo: null,
              monitored_addresses: [],
            }}
          />
        </Fact>
      )}
      {transaction.memo !== null && <Fact name="Memo">{transaction.memo}</Fact>}
      {transaction.matures_at_block !== null && (
        <Fact name="Spendable from block">
          <span className="tabular-nums">{transaction.matures_at_block.toLocaleString()}</span>
        </Fact>
      )}
      <Fact name="Detected">
        <Time at={transaction.detected_at} isLong />
      </Fact>
      {transaction.confirmed_at !== null && (
        <Fact name="Confirmed">
          <Time at={transaction.confirmed_at} isLong />
        </Fact>
      )}
      {transaction.reorged_at !== null && (
        <Fact name="Reorged">
          <Time at={transaction.reorged_at} isLong />
        </Fact>
      )}
      {transaction.replaced_by !== null && (
        <Fact name="Replaced by">
          <Hash text={transaction.replaced_by} />
        </Fact>
      )}
      <Fact name="Verification">
        <Verification of={transaction.verification} />
      </Fact>
      <Fact name="Id">
        <Hash text={transaction.id} isWhole />
      </Fact>
    </Facts>
  );
}
