// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight, ArrowRight } from 'lucide-react';
import { rowsOf, transactionsQuery, type Transaction } from '../../api/queries.ts';
import { exportTransactions } from '../../api/exports.ts';
import { useMay } from '../../api/session.ts';
import { SEARCH_KEY } from '../../app/shortcut.ts';
import { withoutEmpty, type TransactionSearch } from '../../app/search-params.ts';
import { ChainName } from '../../ui/chain-name.tsx';
import { ChoiceChip, ClearButton, orNone, TextChip } from '../../ui/chips.tsx';
import { shorten } from '../../ui/copy.tsx';
import { DayChips } from '../../ui/day-chips.tsx';
import { ExportMenu } from '../../ui/export-menu.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status, toWords } from '../../ui/status.tsx';
import { ROW_LINK, type Column, ABOVE_ROW_LINK } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { AssetChip } from '../assets/asset-chip.tsx';
import { ChainChip } from '../chains/chain-chip.tsx';
import { MovedAmounts, listMoved } from './moved-amounts.tsx';
import { classes } from '../../ui/classes.ts';

const STATUSES = ['pending', 'detected', 'confirmed', 'reorged', 'failed'];
const DIRECTIONS = ['in', 'out', 'self'];
const toCard = (transaction: Transaction) => <PaymentCard transaction={transaction} />;

export function TransactionsPage() {
  const search = useSearch({ from: '/shell/transactions' });
  const query = useInfiniteQuery({ ...transactionsQuery(search), placeholderData: keepPreviousData });
  const { rows, total } = rowsOf(query.data?.pages);
  const columns = useColumns();
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page
      title="Transactions"
      eyebrow={
        query.data
          ? `${total.toLocaleString()} ${isFiltered ? 'match the filters' : 'in this project'}`
          : undefined
      }
      actions={
        total > 0 && <ExportMenu name="transactions" read={(type) => exportTransactions(search, type)} />
      }
    >
      <Filters search={search} />
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Transactions"
          query={query}
          rows={rows}
          columns={columns}
          card={toCard}
          waitingRows={10}
          empty={<NoTransactions isFiltered={isFiltered} />}
        />
      </Panel>
    </Page>
  );
}

function useColumns(): readonly Column<Transaction>[] {
  return [
    {
      name: 'Payment',
      width: 'minmax(15rem, 1.5fr)',
      cell: (transaction) => <PaymentCell transaction={transaction} />,
    },
    {
      name: 'Amount',
      width: 'minmax(11rem, 1.2fr)',
      isRight: true,
      cell: (transaction) => <MovedAmounts transaction={transaction} />,
    },
    { name: 'Status', width: '7rem', cell: ({ status }) => <Status of={status} /> },
    {
      name: 'Transaction',
      width: '10.5rem',
      cell: ({ id, hash }) => (
        <Link to="/transactions/$id" params={{ id }} title={hash} className={`${ROW_LINK} font-mono`}>
          {shorten(hash)}
        </Link>
      ),
    },
    {
      name: 'Chain',
      width: 'minmax(5rem, 0.5fr)',
      cell: ({ chain_gid }) => <ChainName gid={chain_gid} />,
    },
    {
      name: 'Confirmations',
      width: '6.5rem',
      isRight: true,
      cell: ({ confirmations, required_confirmations: required }) => (
        <span className="text-soft tabular-nums">
          {Math.min(confirmations, required)} of {required}
        </span>
      ),
    },
    { name: 'Detected', width: '6rem', isRight: true, cell: ({ detected_at }) => <Time at={detected_at} /> },
  ];
}

function Filters({ search }: { readonly search: TransactionSearch }) {
  const navigate = useNavigate({ from: '/transactions' });
  const set = (change: TransactionSearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <TextChip
        name="Customer"
        placeholder="Label or address"
        value={search.search}
        onChange={(text) => set({ search: text })}
      />
      <TextChip
        name="Group"
        placeholder="shop-7"
        value={search.groups?.join(',')}
        onChange={(text) => set({ groups: toGroups(text) })}
      />
      {search.address !== undefined && (
        <TextChip
          name="Address"
          placeholder="Address"
          value={search.address}
          onChange={(address) => set({ address })}
        />
      )}
      <AssetChip chosen={search.assets} onChange={(assets) => set({ assets })} />
      <ChainChip chosen={search.chains} onChange={(chains) => set({ chains })} />
      <ChoiceChip
        name="Status"
        options={STATUSES.map((value) => ({ value, title: toWords(value) }))}
        chosen={search.statuses ?? []}
        onChange={(chosen) => set({ statuses: orNone(chosen) })}
      />
      <ChoiceChip
        name="Direction"
        isSingle
        options={DIRECTIONS.map((value) => ({ value, title: toWords(value) }))}
        chosen={search.direction === undefined ? [] : [search.direction]}
        onChange={([direction]) => set({ direction: direction as TransactionSearch['direction'] })}
      />
      <TextChip
        name="From amount"
        placeholder="0.5"
        value={search.min_amount}
        onChange={(min_amount) => set({ min_amount })}
      />
      <DayChips since={search.since} until={search.until} onChange={set} />
      {Object.keys(search).length > 0 && (
        <ClearButton onClear={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}

function toGroups(text: string | undefined): readonly string[] | undefined {
  const groups = (text ?? '').split(',').map((group) => group.trim());
  return orNone(groups.filter((group) => group !== ''));
}

function NoTransactions({ isFiltered }: { readonly isFiltered: boolean }) {
  const may = useMay();
  if (isFiltered)
    return (
      <Empty icon={<ArrowLeftRight />} title="No transactions match these filters">
        Remove a filter, or search for an address or a hash with {SEARCH_KEY}.
      </Empty>
    );
  return (
    <Empty
      icon={<ArrowLeftRight />}
      title="No transactions yet"
      docs="start"
      action={
        may('api:address:write') && (
          <Link to="/addresses" className="font-medium text-accent-ink hover:underline">
            Add an address
          </Link>
        )
      }
    >
      Transactions appear here when a monitored address sends or receives something.
    </Empty>
  );
}

/** Whose payment it is, and between whom: the label, then from and to. */
function PaymentCell({ transaction }: { readonly transaction: Transaction }) {
  return (
    <span className="flex min-w-0 flex-col">
      <Customer transaction={transaction} />
      <Ends transaction={transaction} />
    </span>
  );
}

/** The first address of the project by its label, and how many more there are. */
function Customer({ transaction: { addresses } }: { readonly transaction: Transaction }) {
  const [first] = addresses;
  if (first === undefined) return <span className="text-faint">No address of this project</span>;
  const { address, label } = first;
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <Link
        to="/addresses/$address"
        params={{ address }}
        title={address}
        className={classes(
          ABOVE_ROW_LINK,
          'min-w-0 truncate hover:text-accent-ink hover:underline',
          label === null ? 'font-mono' : 'font-medium',
        )}
      >
        {label ?? shorten(address)}
      </Link>
      {addresses.length > 1 && <span className="text-xs text-faint">+{addresses.length - 1}</span>}
    </span>
  );
}

/** Of the first transfer. Chains of unspent outputs name one end alone. */
function Ends({ transaction }: { readonly transaction: Transaction }) {
  const [transfer] = listMoved(transaction);
  if (transfer === undefined) return null;
  const { from, to, monitored_addresses: own } = transfer;
  return (
    <span className="flex min-w-0 items-center gap-1.5 font-mono text-xs">
      {from !== null && <End address={from} isOwn={own.includes(from)} />}
      <ArrowRight aria-label="to" className="size-3 shrink-0 text-faint" />
      {to !== null && <End address={to} isOwn={own.includes(to)} />}
    </span>
  );
}

function End({ address, isOwn }: { readonly address: string; readonly isOwn: boolean }) {
  return (
    <span title={address} className={isOwn ? 'truncate text-ink' : 'truncate text-soft'}>
      {shorten(address)}
    </span>
  );
}

/** A payment on a phone: the amount first. */
function PaymentCard({ transaction }: { readonly transaction: Transaction }) {
  const { id, hash, status, chain_gid: chainGid, detected_at: detectedAt } = transaction;
  return (
    <span className="flex w-full min-w-0 flex-col gap-0.5">
      <span className="flex min-w-0 items-center justify-between gap-2">
        <Link to="/transactions/$id" params={{ id }} title={hash} className={`${ROW_LINK} min-w-0 truncate`}>
          <MovedAmounts transaction={transaction} />
        </Link>
        <Status of={status} />
      </span>
      <Customer transaction={transaction} />
      <span className="flex min-w-0 items-center justify-between gap-2">
        <Ends transaction={transaction} />
        <span className="shrink-0 text-xs text-faint">
          <ChainName gid={chainGid} className="align-bottom" /> · <Time at={detectedAt} />
        </span>
      </span>
    </span>
  );
}
