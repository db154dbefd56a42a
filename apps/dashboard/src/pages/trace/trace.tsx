// SPDX-License-Identifier: Apache-2.0
import { useParams } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { isOpen, type Transaction, type Transfer, balancesQuery, useSymbol } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { toWords } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Moved, signOf } from '../transactions/moved-amounts.tsx';
import { Customers } from '../transactions/customers.tsx';
import { BlockStep, ConfirmationStep, EventSteps } from './steps.tsx';
import { Step } from './step.tsx';
import { TransactionFrame } from './transaction-frame.tsx';
import { useQuery } from '@tanstack/react-query';
import { Amount } from '../../ui/amount.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { AddressText } from '../../ui/rows.tsx';

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

const TRANSFERS_SHOWN = 20;

function Transfers({ transaction }: { readonly transaction: Transaction }) {
  const { transfers } = transaction;
  return (
    <ul aria-label="Transfers" className="divide-y divide-line">
      {transfers.slice(0, TRANSFERS_SHOWN).map((transfer) => (
        <li
          key={transfer.index}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]"
        >
          <Ends transaction={transaction} transfer={transfer} />
          <Moved transfer={transfer} sign={signOf(transaction, transfer)} />
        </li>
      ))}
      {transfers.length === 0 && (
        <li className="px-4 py-2.5 text-[13px] text-soft">Moved nothing except the fee.</li>
      )}
      {transfers.length > TRANSFERS_SHOWN && (
        <li className="px-4 py-2.5 text-[13px] text-soft">
          {transfers.length - TRANSFERS_SHOWN} more transfers
        </li>
      )}
    </ul>
  );
}

interface EndsProps {
  readonly transaction: Transaction;
  readonly transfer: Transfer;
}

function Ends({ transaction, transfer: { from, to, monitored_addresses: own } }: EndsProps) {
  const { chain_gid: chainGid, addresses } = transaction;
  const labelOf = (address: string) => addresses.find((one) => one.address === address)?.label;
  return (
    <span className="flex max-w-full min-w-0 flex-wrap items-center gap-2">
      {from !== null && (
        <End chainGid={chainGid} address={from} isOwn={own.includes(from)} label={labelOf(from)} />
      )}
      <ArrowRight aria-label="to" className="size-3.5 text-faint" />
      {to !== null && <End chainGid={chainGid} address={to} isOwn={own.includes(to)} label={labelOf(to)} />}
    </span>
  );
}

interface EndProps {
  readonly chainGid: string;
  readonly address: string;
  readonly isOwn: boolean;
  readonly label: string | null | undefined;
}

function End({ chainGid, address, isOwn, label }: EndProps) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-0.5">
      <AddressText address={address} isOwn={isOwn} label={label} />
      <ExplorerLink chainGid={chainGid} about={{ address }} />
    </span>
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
function Verification({ of }: { readonly of: Transaction['verification'] }) {
  if (of === null) return 'None: a test message';
  return (
    <>
      {toWords(of)}
      <span className="block text-faint">{MEANINGS[of]}</span>
    </>
  );
}

const ADDRESSES_SHOWN = 8;

/** What its addresses have now, of the assets that it moved. */
function BalanceStep({ transaction }: { readonly transaction: Transaction }) {
  const concerned = new Map<string, Set<string>>();
  for (const { monitored_addresses, asset_gid } of transaction.transfers)
    for (const address of monitored_addresses)
      concerned.set(address, (concerned.get(address) ?? new Set()).add(asset_gid));
  const addresses = [...concerned].slice(0, ADDRESSES_SHOWN);
  if (addresses.length === 0) return null;
  return (
    <Step tone="ok" title="Balances now">
      <ul className="divide-y divide-line">
        {addresses.map(([address, assets]) => (
          <AddressBalances key={address} address={address} assets={assets} />
        ))}
      </ul>
    </Step>
  );
}

interface AddressBalancesProps {
  readonly address: string;
  readonly assets: ReadonlySet<string>;
}

function AddressBalances({ address, assets }: AddressBalancesProps) {
  const query = useQuery(balancesQuery(address));
  if (!query.isSuccess)
    return <li>{query.error ? <Problem error={query.error} /> : <Waiting rows={1} />}</li>;
  const rows = query.data.items.filter(({ asset_gid }) => assets.has(asset_gid));
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2.5 text-[13px]">
      <AddressText address={address} isOwn />
      <span className="flex flex-col items-end">
        {rows.map(({ asset_gid, total, total_raw }) => (
          <Balance key={asset_gid} assetGid={asset_gid} total={total} raw={total_raw} />
        ))}
        {rows.length === 0 && <span className="text-soft">not read yet</span>}
      </span>
    </li>
  );
}

interface BalanceProps {
  readonly assetGid: string;
  readonly total: string | null;
  readonly raw: string;
}

function Balance({ assetGid, total, raw }: BalanceProps) {
  return <Amount value={total} raw={raw} symbol={useSymbol(assetGid)} />;
}
