// SPDX-License-Identifier: Apache-2.0
import { useParams } from '@tanstack/react-router';
import { isOpen, type Transaction, blockQuery, balancesQuery, useSymbol } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { toWords, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { Moved } from '../transactions/moved-amounts.tsx';
import { Customers } from '../transactions/customers.tsx';
import { ConfirmationStep, EventSteps } from './steps.tsx';
import { Step } from './step.tsx';
import { TransactionFrame } from './transaction-frame.tsx';
import { Transfers } from './transfers.tsx';
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

function BlockStep({ transaction }: { readonly transaction: Transaction }) {
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

const SHOWN = 8;

/** What its addresses have now, of the assets that it moved. */
function BalanceStep({ transaction }: { readonly transaction: Transaction }) {
  const concerned = new Map<string, Set<string>>();
  for (const { monitored_addresses, asset_gid } of transaction.transfers)
    for (const address of monitored_addresses)
      concerned.set(address, (concerned.get(address) ?? new Set()).add(asset_gid));
  const addresses = [...concerned].slice(0, SHOWN);
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
