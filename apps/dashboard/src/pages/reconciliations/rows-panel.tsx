// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ListChecks } from 'lucide-react';
import { rowsOf, useChainName, useSymbol } from '../../api/queries.ts';
import {
  exportRows,
  reconciliationRowsQuery,
  type Reconciliation,
  type ReconciliationRow,
} from '../../api/reconciliation-queries.ts';
import { Amount } from '../../ui/amount.tsx';
import { ChoiceChip, orNone } from '../../ui/chips.tsx';
import { shorten } from '../../ui/copy.tsx';
import { ExportMenu } from '../../ui/export-menu.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Badge, toneOf } from '../../ui/status.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { CLASSES, titleOf } from './classes.ts';

interface RowsPanelProps {
  readonly reconciliation: Reconciliation;
  readonly classes: readonly string[] | undefined;
  readonly onChoose: (classes: readonly string[] | undefined) => void;
}

/** The rows of the ledger in its order, then the movements that it lacks. */
export function RowsPanel({ reconciliation: { id, status, name }, classes, onChoose }: RowsPanelProps) {
  const query = useInfiniteQuery({
    ...reconciliationRowsQuery(id, { classes, status }),
    placeholderData: keepPreviousData,
  });
  const { rows, total } = rowsOf(query.data?.pages);
  const named = rows.map((row, index) => ({ ...row, id: String(index) }));
  return (
    <Panel
      title={`Rows${query.data ? ` · ${total.toLocaleString()}` : ''}`}
      isFlush
      aside={
        <span className="flex flex-wrap items-center justify-end gap-2">
          <ChoiceChip
            name="Class"
            options={CLASSES.map((one) => ({ value: one.name, title: one.title }))}
            chosen={classes ?? []}
            onChange={(chosen) => onChoose(orNone(chosen))}
          />
          {total > 0 && (
            <ExportMenu
              isSmall
              name={name ?? 'reconciliation'}
              read={(type) => exportRows(id, classes, type)}
            />
          )}
        </span>
      }
    >
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <LoadedTable
        label="Rows"
        query={query}
        rows={named}
        columns={COLUMNS}
        waitingRows={8}
        empty={
          <Empty icon={<ListChecks />} title={classes ? 'No rows of this class' : 'No rows'}>
            {classes ? 'Clear the filter to see all rows.' : 'The ledger had no row.'}
          </Empty>
        }
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<ReconciliationRow & { readonly id: string }>[] = [
  {
    name: 'Line',
    width: '3rem',
    isRight: true,
    cell: ({ line }) => <span className="text-faint tabular-nums">{line?.toLocaleString() ?? '–'}</span>,
  },
  { name: 'Class', width: '10.5rem', cell: (row) => <ClassCell row={row} /> },
  {
    name: 'Reference',
    width: 'minmax(6rem, 1fr)',
    cell: ({ reference }) => (
      <span title={reference ?? undefined} className="max-w-56 truncate">
        {reference ?? <span className="text-faint">–</span>}
      </span>
    ),
  },
  { name: 'Transaction', width: '10.5rem', cell: (row) => <TransactionCell row={row} /> },
  {
    name: 'Ledger',
    width: '10.5rem',
    isRight: true,
    cell: ({ asset_gid, amount, amount_raw }) => (
      <AmountCell assetGid={asset_gid} amount={amount} raw={amount_raw} />
    ),
  },
  {
    name: 'Chain',
    width: '10.5rem',
    isRight: true,
    cell: ({ asset_gid, chain_amount, chain_amount_raw }) => (
      <AmountCell assetGid={asset_gid} amount={chain_amount} raw={chain_amount_raw} />
    ),
  },
  { name: 'Reason', width: '12rem', cell: (row) => <ReasonCell row={row} /> },
];

interface RowProps {
  readonly row: ReconciliationRow;
}

function ClassCell({ row }: RowProps) {
  if (row.class === null) return <Badge>Not matched yet</Badge>;
  return <Badge tone={toneOf(row.class)}>{titleOf(row.class)}</Badge>;
}

function TransactionCell({ row: { hash, event_id, transaction_id, chain_gid } }: RowProps) {
  const nameOf = useChainName();
  const text = hash ?? event_id;
  if (text === null) return <span className="text-faint">–</span>;
  const title = chain_gid === null ? text : `${text} · ${nameOf(chain_gid)}`;
  if (transaction_id === null)
    return (
      <span title={title} className="font-mono text-soft">
        {shorten(text)}
      </span>
    );
  return (
    <Link
      to="/transactions/$id"
      params={{ id: transaction_id }}
      title={title}
      className={`${ROW_LINK} font-mono`}
    >
      {shorten(text)}
    </Link>
  );
}

interface AmountCellProps {
  readonly assetGid: string | null;
  readonly amount: string | null;
  readonly raw: string | null;
}

function AmountCell({ assetGid, amount, raw }: AmountCellProps) {
  if (assetGid === null || raw === null) return <span className="text-faint">–</span>;
  return <AssetAmount assetGid={assetGid} amount={amount} raw={raw} />;
}

function AssetAmount({
  assetGid,
  amount,
  raw,
}: AmountCellProps & { readonly assetGid: string; readonly raw: string }) {
  return (
    <span className="text-right text-xs">
      <Amount value={amount} raw={raw} symbol={useSymbol(assetGid)} />
    </span>
  );
}

function ReasonCell({ row: { reason, difference, duplicate_of_line } }: RowProps) {
  const text = [
    difference !== null && `Differs by ${difference}`,
    duplicate_of_line !== null && `Same as line ${duplicate_of_line.toLocaleString()}`,
    reason,
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ');
  return (
    <span title={text} className="line-clamp-2 text-xs text-soft">
      {text}
    </span>
  );
}
