// SPDX-License-Identifier: Apache-2.0
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { incidentsQuery, type Incident } from '../../api/chain-queries.ts';
import { api, bodyOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';

/** What blocks of the chain hold that this release does not know. */
export function IncidentsPanel({ chainGid }: { readonly chainGid: string }) {
  const query = useQuery(incidentsQuery(chainGid));
  return (
    <Panel title="Incidents" isFlush>
      {query.error ? (
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Waiting rows={2} />
      ) : query.data.items.length === 0 ? (
        <p className="px-4 py-3 text-[13px] text-soft">
          No incidents. An incident opens when a block contains something that this release does not support.
        </p>
      ) : (
        <ul aria-label="Incidents" className="divide-y divide-line">
          {query.data.items.map((incident) => (
            <IncidentLine key={incident.id} incident={incident} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function IncidentLine({ incident }: { readonly incident: Incident }) {
  const { kind, status, subject, asset_gid: asset, block_number: first, last_block_number: last } = incident;
  const may = useMay();
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5 text-[13px]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <code className="font-mono font-medium break-all">{kind}</code>
        <Status of={status} />
        {incident.is_contradicted && <Badge tone="bad">Contradicted by another node</Badge>}
        <span className="ml-auto text-soft">
          <Time at={incident.created_at} />
        </span>
      </div>
      <p className="text-soft">
        Block {first.toLocaleString()}
        {last !== null && last !== first && ` to ${last.toLocaleString()}`}: expected {incident.expected}, got{' '}
        {incident.got}
      </p>
      {subject !== null && (
        <p className="text-soft">
          Set aside: {subject.type} <code className="font-mono break-all">{subject.id}</code>
          {asset !== null && (
            <>
              , <code className="font-mono break-all">{asset}</code>
            </>
          )}
        </p>
      )}
      {status === 'open' && subject === null && may('api:blockchain:write') && (
        <AcceptButton incident={incident} />
      )}
    </li>
  );
}

function AcceptButton({ incident: { id, chain_gid, kind } }: { readonly incident: Incident }) {
  const client = useQueryClient();
  const accepting = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/blockchains/{chain_gid}/incidents/{incident_id}/actions/accept', {
          params: { path: { chain_gid, incident_id: id } },
        }),
      ),
    onSuccess: () => tell('Incident accepted'),
    onError: tellProblem,
    onSettled: () => client.invalidateQueries({ queryKey: ['chains'] }),
  });
  return (
    <ConfirmButton
      isSmall
      className="self-start"
      isBusy={accepting.isPending}
      question={`Accept ${kind}?`}
      consequence="Payments in the affected blocks are confirmed as trusted, although nothing proves them. Later blocks of the same kind open a new incident."
      onConfirm={() => accepting.mutate()}
    >
      Accept
    </ConfirmButton>
  );
}
