import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { rowsOf, transactionsQuery, useChainName, type Transaction } from '../../api/queries.ts';
import { exportTransactions } from '../../api/exports.ts';
import { useMay } from '../../api/session.ts';
import { withoutEmpty, type TransactionSearch } from '../../app/search-params.ts';
import { ChoiceChip, ClearButton, orNone, TextChip } from '../../ui/chips.tsx';
import { shorten } from '../../ui/copy.tsx';
import { DayChips } from '../../ui/day-chips.tsx';
import { ExportMenu } from '../../ui/export-menu.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status, toWords } from '../../ui/status.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ChainChip } from '../chains/chain-chip.tsx';
import { MovedAmounts } from './moved-amounts.tsx';

const STATUSES = ['pending', 'detected', 'confirmed', 'reorged', 'failed'];
const DIRECTIONS = ['in', 'out', 'self'];

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
        query.data ? `${total.toLocaleString()} ${isFiltered ? 'that fit' : 'of this project'}` : undefined
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
          waitingRows={10}
          empty={<NoTransactions isFiltered={isFiltered} />}
        />
      </Panel>
    </Page>
  );
}

function useColumns(): readonly Column<Transaction>[] {
  const nameOf = useChainName();
  return [
    {
      name: 'Transaction',
      width: 'minmax(11rem, 1.2fr)',
      cell: ({ id, hash }) => (
        <Link to="/transactions/$id" params={{ id }} title={hash} className={`${ROW_LINK} font-mono`}>
          {shorten(hash)}
        </Link>
      ),
    },
    { name: 'Status', width: '8rem', cell: ({ status }) => <Status of={status} /> },
    {
      name: 'Chain',
      width: 'minmax(7rem, 0.7fr)',
      cell: ({ chain_gid }) => <span className="truncate capitalize">{nameOf(chain_gid)}</span>,
    },
    {
      name: 'Amount',
      width: 'minmax(12rem, 1.3fr)',
      isRight: true,
      cell: (transaction) => <MovedAmounts transaction={transaction} />,
    },
    {
      name: 'Confirmations',
      width: '8rem',
      isRight: true,
      cell: ({ confirmations, required_confirmations: required }) => (
        <span className="text-soft tabular-nums">
          {Math.min(confirmations, required)} of {required}
        </span>
      ),
    },
    { name: 'Detected', width: '7rem', isRight: true, cell: ({ detected_at }) => <Time at={detected_at} /> },
  ];
}

function Filters({ search }: { readonly search: TransactionSearch }) {
  const navigate = useNavigate({ from: '/transactions' });
  const set = (change: TransactionSearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <ChoiceChip
        name="Status"
        options={STATUSES.map((value) => ({ value, title: toWords(value) }))}
        chosen={search.statuses ?? []}
        onChange={(chosen) => set({ statuses: orNone(chosen) })}
      />
      <ChainChip chosen={search.chains} onChange={(chains) => set({ chains })} />
      <ChoiceChip
        name="Direction"
        isSingle
        options={DIRECTIONS.map((value) => ({ value, title: toWords(value) }))}
        chosen={search.direction === undefined ? [] : [search.direction]}
        onChange={([direction]) => set({ direction: direction as TransactionSearch['direction'] })}
      />
      <TextChip
        name="Address"
        placeholder="any"
        value={search.address}
        onChange={(address) => set({ address })}
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

function NoTransactions({ isFiltered }: { readonly isFiltered: boolean }) {
  const may = useMay();
  if (isFiltered)
    return (
      <Empty icon={<ArrowLeftRight />} title="No transaction fits these filters">
        Take one of them away, or search for an address or a hash with ⌘K.
      </Empty>
    );
  return (
    <Empty
      icon={<ArrowLeftRight />}
      title="No transactions yet"
      action={
        may('api:address:write') && (
          <Link to="/addresses" className="font-medium text-accent-ink hover:underline">
            Add an address
          </Link>
        )
      }
    >
      As soon as one of your monitored addresses sends or receives something it is listed here.
    </Empty>
  );
}
