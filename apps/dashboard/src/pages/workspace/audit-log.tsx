// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { auditQuery, type AuditLog } from '../../api/management-queries.ts';
import { rowsOf } from '../../api/queries.ts';
import { withoutEmpty, type AuditSearch } from '../../app/search-params.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceChip, ClearButton, orNone, TextChip } from '../../ui/chips.tsx';
import { Hash } from '../../ui/copy.tsx';
import { DayChips } from '../../ui/day-chips.tsx';
import { Empty, Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';

/** Every action, in words. */
const ACTIONS: Readonly<Record<AuditLog['action'], string>> = {
  'workspace.updated': 'Workspace changed',
  'workspace.quotas_updated': 'Quotas changed',
  'workspace.endpoint_updated': 'Node or setting of a chain changed',
  'workspace.network_set': 'Network set',
  'workspace.network_deleted': 'Network deleted',
  'project.created': 'Project added',
  'project.updated': 'Project renamed',
  'project.deleted': 'Project deleted',
  'project.addresses_imported': 'Addresses imported',
  'member.created': 'Member added',
  'member.updated': 'Member changed',
  'member.deleted': 'Member removed',
  'key.created': 'Key created',
  'key.rolled': 'Key rolled',
  'key.revoked': 'Key revoked',
  'address.derived': 'Address derived',
  'address.deleted': 'Address deleted',
  'public_key.deleted': 'Public key deleted',
  'channel.deleted': 'Channel deleted',
  'channel.moved': 'Channel URL changed by its receiver',
  'channel.secret_rotated': 'Signing secret rotated',
  'channel.secret_overlap_ended': 'Previous signing secret revoked',
  'portal_session.created': 'Portal opened',
  'portal_session.deleted': 'Portal ended',
  'statement.created': 'Statement requested',
  'statement.deleted': 'Statement deleted',
  'incident.accepted': 'Incident accepted',
  'reprocess.requested': 'Blocks processed again',
  'reset.requested': 'Chain reset',
  'skip.requested': 'Blocks skipped',
  'token.refreshed': 'Token read again',
  'token.corrected': 'Decimals of a token corrected',
  'reconciliation.created': 'Ledger reconciled',
  'reconciliation.deleted': 'Reconciliation deleted',
};

export function AuditLogPage() {
  const search = useSearch({ from: '/shell/audit' });
  const query = useInfiniteQuery({ ...auditQuery(search), placeholderData: keepPreviousData });
  const { rows, total } = rowsOf(query.data?.pages);
  return (
    <Page
      title="Audit log"
      eyebrow={query.data ? `${total.toLocaleString()} changes of the workspace` : undefined}
    >
      <Filters search={search} />
      {query.error && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Panel isFlush>
        {query.isPending ? (
          <Waiting rows={10} />
        ) : rows.length === 0 ? (
          <Empty icon={<ScrollText />} title="No changes">
            Records every change of keys, members, projects, nodes, and secrets.
          </Empty>
        ) : (
          <ul aria-label="Changes" className="divide-y divide-line">
            {rows.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
        )}
        {query.hasNextPage && (
          <div className="flex justify-center border-t border-line p-3">
            <Button isSmall isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Load older
            </Button>
          </div>
        )}
      </Panel>
    </Page>
  );
}

function Entry({
  entry: { action, actor, target, changes, request_id, created_at },
}: {
  readonly entry: AuditLog;
}) {
  const changed = Object.entries(changes);
  return (
    <li className="px-4 py-2.5 text-[13px]">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
        <span className="font-medium">{ACTIONS[action]}</span>
        <span className="text-soft">
          by {actor.name}
          {actor.mask !== null && <code className="ml-1 font-mono text-xs text-faint">{actor.mask}</code>}
        </span>
        <span className="ml-auto text-soft">
          <Time at={created_at} />
        </span>
      </div>
      <details className="mt-1">
        <summary className="w-fit text-soft hover:text-ink">
          {changed.length === 0 ? 'Details' : changed.map(([name]) => name).join(', ')}
        </summary>
        <dl className="mt-1.5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
          {changed.map(([name, { from, to }]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="min-w-0 font-mono text-xs break-all">
                {from !== null && from !== undefined && (
                  <del className="mr-2 rounded bg-bad-wash px-1 text-bad no-underline">{toText(from)}</del>
                )}
                {to !== null && to !== undefined && (
                  <ins className="rounded bg-ok-wash px-1 text-ok no-underline">{toText(to)}</ins>
                )}
              </dd>
            </div>
          ))}
          <dt className="text-faint">{target.type}</dt>
          <dd>
            <Hash text={target.id} />
          </dd>
          <dt className="text-faint">request</dt>
          <dd>
            <Hash text={request_id} />
          </dd>
        </dl>
      </details>
    </li>
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Filters({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate({ from: '/audit' });
  const set = (change: AuditSearch): void =>
    void navigate({ search: withoutEmpty({ ...search, ...change }), replace: true });
  return (
    <div role="group" aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <ChoiceChip
        name="Action"
        options={Object.entries(ACTIONS).map(([value, title]) => ({ value, title }))}
        chosen={search.actions ?? []}
        onChange={(actions) => set({ actions: orNone(actions) })}
      />
      <TextChip
        name="Key"
        placeholder="name or mask"
        value={search.search}
        onChange={(text) => set({ search: text })}
      />
      <DayChips since={search.since} until={search.until} onChange={set} />
      {Object.keys(search).length > 0 && (
        <ClearButton onClear={() => void navigate({ search: {}, replace: true })} />
      )}
    </div>
  );
}
