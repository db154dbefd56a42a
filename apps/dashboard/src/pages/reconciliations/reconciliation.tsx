// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { api, bodyOf } from '../../api/client.ts';
import { isUnderWay, reconciliationQuery, type Reconciliation } from '../../api/reconciliation-queries.ts';
import { useMay } from '../../api/session.ts';
import { withoutEmpty } from '../../app/search-params.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { NoPermission } from '../../ui/no-permission.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Status, Dot, toneOf } from '../../ui/status.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { sayPeriod } from '../statements/describe-statement.ts';
import { sayPhase, CLASSES } from './classes.ts';
import { RowsPanel } from './rows-panel.tsx';
import { classes } from '../../ui/classes.ts';

export function ReconciliationPage() {
  const { id } = useParams({ from: '/shell/reconciliations/$id' });
  const { classes } = useSearch({ from: '/shell/reconciliations/$id' });
  const navigate = useNavigate({ from: '/reconciliations/$id' });
  const mayRead = useMay()('api:reconciliation:read');
  const query = useQuery({ ...reconciliationQuery(id), enabled: mayRead });
  if (!mayRead) return <NoPermission title="Reconciliation" permission="api:reconciliation:read" />;
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Reconciliation">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const reconciliation = query.data;
  const choose = (chosen: readonly string[] | undefined): void =>
    void navigate({ search: withoutEmpty({ classes: chosen }), replace: true });
  return (
    <Page
      eyebrow={
        <Link to="/reconciliations" className="hover:text-ink">
          Reconciliation
        </Link>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {reconciliation.name ?? 'Ledger'}
          <Status of={reconciliation.status} />
        </span>
      }
      actions={<DeleteButton reconciliation={reconciliation} />}
    >
      <Summary reconciliation={reconciliation} />
      <ClassTiles reconciliation={reconciliation} chosen={classes ?? []} onChoose={choose} />
      <RowsPanel reconciliation={reconciliation} classes={classes} onChoose={choose} />
    </Page>
  );
}

function Summary({ reconciliation }: { readonly reconciliation: Reconciliation }) {
  const { from, to, scope, include_fees, row_count, progress, status, error, is_truncated } = reconciliation;
  return (
    <>
      <p className="max-w-3xl text-[13px] text-soft tabular-nums">
        {row_count.toLocaleString()} rows
        {from !== null && to !== null && ` · ${sayPeriod({ from, to })} (UTC, end exclusive)`} ·{' '}
        {scope === 'project' ? 'all addresses of the project' : 'addresses that the ledger names'}
        {include_fees && ' · with fees'}
      </p>
      {status === 'failed' && (
        <Panel title="Failed">
          <p className="text-[13px] break-words text-bad">{error ?? 'The service gave no reason.'}</p>
        </Panel>
      )}
      {isUnderWay(reconciliation) && (
        <div aria-live="polite" className="flex flex-col gap-1.5 text-[13px] text-soft tabular-nums">
          <Progress
            label="Matched rows"
            value={status === 'matching' && progress.phase === 'rows' ? progress.rows_done : undefined}
            max={row_count}
          />
          {sayPhase(reconciliation)}
        </div>
      )}
      {is_truncated && (
        <p className="text-[13px] text-warn">
          More than 1,000,000 movements are missing in the books. The others are not listed.
        </p>
      )}
    </>
  );
}

function DeleteButton({ reconciliation: { id } }: { readonly reconciliation: Reconciliation }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const deleting = useMutation({
    mutationFn: () =>
      bodyOf(
        api.DELETE('/reconciliations/{reconciliation_id}', { params: { path: { reconciliation_id: id } } }),
      ),
    onSuccess: async () => {
      tell('Reconciliation deleted');
      // Its row must not be seen again, not for a moment.
      client.removeQueries({ queryKey: ['reconciliations', 'list'] });
      await navigate({ to: '/reconciliations' });
      client.removeQueries({ queryKey: ['reconciliations', id] });
    },
    onError: tellProblem,
  });
  if (!useMay()('api:reconciliation:write')) return null;
  return (
    <ConfirmButton
      look="danger"
      isBusy={deleting.isPending}
      icon={<Trash2 aria-hidden className="size-4" />}
      question="Delete this reconciliation?"
      consequence="The rows of the ledger and their classes are deleted. Transactions are not affected."
      onConfirm={() => deleting.mutate()}
    >
      Delete
    </ConfirmButton>
  );
}

interface ClassTilesProps {
  readonly reconciliation: Reconciliation;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[] | undefined) => void;
}

/** How many rows there are of each class; a tile that is pressed shows these alone. */
function ClassTiles({ reconciliation: { counts, status }, chosen, onChoose }: ClassTilesProps) {
  return (
    <div role="group" aria-label="Rows by class" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      {CLASSES.map(({ name, title, hint }) => {
        const isOn = chosen.length === 1 && chosen[0] === name;
        const count = counts[name];
        return (
          <button
            key={name}
            type="button"
            aria-pressed={isOn}
            onClick={() => onChoose(isOn ? undefined : [name])}
            className={classes(
              'flex flex-col items-start rounded-xl border bg-panel px-3 py-2.5 text-left sm:px-4 sm:py-3 shadow-panel hover:bg-hover',
              isOn ? 'border-accent' : 'border-line',
            )}
          >
            <span className="flex items-center gap-1.5 text-[13px] text-faint">
              <Dot tone={count === 0 && status === 'completed' ? 'none' : toneOf(name)} />
              {title}
            </span>
            <span className="mt-1 text-2xl font-semibold tracking-tight tabular-nums">
              {count.toLocaleString()}
            </span>
            <span className="mt-0.5 text-xs text-soft">{hint}</span>
          </button>
        );
      })}
    </div>
  );
}
