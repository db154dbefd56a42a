// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Scale, Upload } from 'lucide-react';
import { useState } from 'react';
import { rowsOf } from '../../api/queries.ts';
import { isUnderWay, reconciliationsQuery, type Reconciliation } from '../../api/reconciliation-queries.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { NoPermission } from '../../ui/no-permission.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { sayPeriod } from '../statements/describe-statement.ts';
import { countDifferences, sayPhase } from './classes.ts';
import { UploadDialog } from './upload-dialog.tsx';

const MATCHING_MS = 2_000;

export function ReconciliationsPage() {
  if (!useMay()('api:reconciliation:read'))
    return <NoPermission title="Reconciliation" permission="api:reconciliation:read" />;
  return <Reconciliations />;
}

function Reconciliations() {
  const mayWrite = useMay()('api:reconciliation:write');
  const [isUploading, setUploading] = useState(false);
  const query = useInfiniteQuery({
    ...reconciliationsQuery,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isUnderWay)) ? MATCHING_MS : false,
  });
  const { rows } = rowsOf(query.data?.pages);
  const upload = mayWrite && (
    <Button
      look="primary"
      icon={<Upload aria-hidden className="size-4" />}
      onClick={() => setUploading(true)}
    >
      Upload ledger
    </Button>
  );
  return (
    <Page title="Reconciliation" actions={rows.length > 0 && upload}>
      <p className="max-w-3xl text-[13px] text-soft">
        Compares your ledger with the transactions of this project, row by row.
        {!mayWrite && ' Uploading one requires the permission api:reconciliation:write.'}
      </p>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Reconciliations"
          query={query}
          rows={rows}
          columns={COLUMNS}
          waitingRows={6}
          empty={
            <Empty
              icon={<Scale />}
              title="No reconciliations yet"
              action={upload}
              docs="guides/reconciliation"
            >
              Upload a ledger to find deposits that are missing in your books or on chain, amounts that
              differ, and duplicates. Results are kept for 90 days.
            </Empty>
          }
        />
      </Panel>
      {isUploading && <UploadDialog onClose={() => setUploading(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Reconciliation>[] = [
  {
    name: 'Name',
    width: 'minmax(10rem, 1fr)',
    cell: ({ id, name }) => (
      <Link to="/reconciliations/$id" params={{ id }} className={`${ROW_LINK} truncate`}>
        {name ?? 'Ledger'}
      </Link>
    ),
  },
  {
    name: 'Period (UTC)',
    width: 'minmax(13rem, 1fr)',
    cell: ({ from, to }) => (
      <span className="truncate">{from === null || to === null ? '–' : sayPeriod({ from, to })}</span>
    ),
  },
  { name: 'Status', width: '17rem', cell: (row) => <StatusCell reconciliation={row} /> },
  {
    name: 'Rows',
    width: '6rem',
    isRight: true,
    cell: ({ row_count }) => <span className="tabular-nums">{row_count.toLocaleString()}</span>,
  },
  {
    name: 'Differences',
    width: '6rem',
    isRight: true,
    cell: (row) => (
      <span className="tabular-nums">
        {row.status === 'completed' ? countDifferences(row).toLocaleString() : '–'}
      </span>
    ),
  },
  { name: 'Uploaded', width: '6rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function StatusCell({ reconciliation }: { readonly reconciliation: Reconciliation }) {
  const { status, error } = reconciliation;
  const note = isUnderWay(reconciliation) ? sayPhase(reconciliation) : error;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Status of={status} />
      {note !== null && (
        <span title={note} className="line-clamp-2 text-xs text-soft">
          {note}
        </span>
      )}
    </span>
  );
}
