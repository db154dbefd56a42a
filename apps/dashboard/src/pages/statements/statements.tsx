// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FileCheck, Plus } from 'lucide-react';
import { useState } from 'react';
import { rowsOf } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { isWriting, statementsQuery, type Statement } from '../../api/statement-queries.ts';
import { withoutEmpty } from '../../app/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceChip, orNone } from '../../ui/chips.tsx';
import { shorten } from '../../ui/copy.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { NoPermission } from '../../ui/no-permission.tsx';
import { Empty, Problem } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Status, toWords } from '../../ui/status.tsx';
import { ROW_LINK, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { sayGaps, sayPeriod, saySelection } from './describe-statement.ts';
import { KeysLink } from './keys-link.tsx';

const WRITING_MS = 2_000;
const STATUSES = ['queued', 'running', 'completed', 'failed'];

export function StatementsPage() {
  if (!useMay()('api:statement:read'))
    return <NoPermission title="Statements" permission="api:statement:read" />;
  return <Statements />;
}

function Statements() {
  const { statuses } = useSearch({ from: '/shell/statements' });
  const navigate = useNavigate({ from: '/statements' });
  const mayWrite = useMay()('api:statement:write');
  const [isCreating, setCreating] = useState(false);
  const query = useInfiniteQuery({
    ...statementsQuery(statuses),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(isWriting)) ? WRITING_MS : false,
  });
  const { rows } = rowsOf(query.data?.pages);
  const create = mayWrite && (
    <Button look="primary" icon={<Plus aria-hidden className="size-4" />} onClick={() => setCreating(true)}>
      Create statement
    </Button>
  );
  const isUnfiltered = statuses === undefined;
  return (
    <Page title="Statements" actions={(rows.length > 0 || !isUnfiltered) && create}>
      <p className="max-w-3xl text-[13px] text-soft">
        Signed documents of balances and movements over a period. Each declares its gaps. <KeysLink />
        {!mayWrite && ' Creating one requires the permission api:statement:write.'}
      </p>
      <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
        <ChoiceChip
          name="Status"
          options={STATUSES.map((value) => ({ value, title: toWords(value) }))}
          chosen={statuses ?? []}
          onChange={(chosen) =>
            void navigate({ search: withoutEmpty({ statuses: orNone(chosen) }), replace: true })
          }
        />
      </div>
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        <LoadedTable
          label="Statements"
          query={query}
          rows={rows}
          columns={COLUMNS}
          waitingRows={6}
          empty={
            <Empty
              icon={<FileCheck />}
              title={isUnfiltered ? 'No statements yet' : 'No statement has this status'}
              action={isUnfiltered ? create : undefined}
              docs="guides/statements"
            >
              {isUnfiltered
                ? 'Create a statement for an auditor, or to close a month. Statements are kept for 90 days.'
                : 'Clear the filter to see all statements.'}
            </Empty>
          }
        />
      </Panel>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Statement>[] = [
  {
    name: 'Period (UTC)',
    width: 'minmax(14rem, 1fr)',
    cell: (statement) => (
      <Link to="/statements/$id" params={{ id: statement.id }} className={`${ROW_LINK} truncate`}>
        {sayPeriod(statement)}
      </Link>
    ),
  },
  {
    name: 'Addresses',
    width: 'minmax(10rem, 1fr)',
    cell: (statement) => <span className="truncate">{shorten(saySelection(statement))}</span>,
  },
  { name: 'Format', width: '5rem', cell: ({ format }) => format.toUpperCase() },
  { name: 'Status', width: '16rem', cell: (statement) => <StatusCell statement={statement} /> },
  {
    name: 'Declared gaps',
    width: '7rem',
    isRight: true,
    cell: (statement) => <span className="tabular-nums">{sayGaps(statement)}</span>,
  },
  { name: 'Created', width: '6rem', isRight: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

function StatusCell({ statement: { status, reason, progress } }: { readonly statement: Statement }) {
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2">
      <Status of={status} />
      {status === 'running' && (
        <Progress label="Addresses written" value={progress.addresses_done} max={progress.addresses_total} />
      )}
      {reason !== null && (
        <span title={reason} className="line-clamp-2 text-xs text-soft">
          {reason}
        </span>
      )}
    </span>
  );
}
