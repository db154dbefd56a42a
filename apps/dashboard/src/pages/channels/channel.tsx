// SPDX-License-Identifier: Apache-2.0
import { useQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { channelQuery, type Channel } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { withoutEmpty } from '../../app/search-params.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Activity } from '../activity/activity.tsx';
import { ChannelDetails } from './channel-details.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { describeKind } from './kinds.ts';
import { SecretsPanel } from './secrets-panel.tsx';
import { failuresQuery, heldCountQuery } from '../../api/channel-queries.ts';
import { Time } from '../../ui/time.tsx';
import { Archive, Pencil, Play, ArchiveRestore } from 'lucide-react';
import { useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { tell, tellProblem } from '../../ui/toast.tsx';
import { EditDialog } from './form/edit-dialog.tsx';
import { TestButton } from './test-button.tsx';
import type { components } from '@chainwatch/sdk';
import { Select } from '../../ui/field.tsx';
import { Modal, ModalActions } from '../../ui/modal.tsx';

export function ChannelPage() {
  const { id } = useParams({ from: '/shell/channels/$id' });
  const { statuses } = useSearch({ from: '/shell/channels/$id' });
  const navigate = useNavigate({ from: '/channels/$id' });
  const query = useQuery(channelQuery(id));
  const may = useMay();
  if (query.isPending) return <Waiting rows={10} />;
  if (query.error)
    return (
      <Page title="Channel">
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    );
  const channel = query.data;
  return (
    <Page
      eyebrow={
        <>
          <Link to="/channels" className="hover:text-ink">
            Channels
          </Link>{' '}
          / {describeKind(channel.kind).title}
        </>
      }
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {channel.name}
          <Status of={channel.status} />
        </span>
      }
      actions={may('api:notification_channel:write') && <ChannelActions channel={channel} />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 xl:grid-cols-[minmax(0,1fr)_22rem]">
        {may('api:delivery:read') && (
          <div className="flex min-w-0 flex-col gap-5">
            {may('api:event:read') && <Activity channelId={channel.id} />}
            <DeliveryLog
              channelId={channel.id}
              nextProbe={channel.next_attempt_at}
              statuses={statuses}
              onChoose={(chosen) =>
                void navigate({ search: withoutEmpty({ statuses: chosen }), replace: true })
              }
              isExported
            />
          </div>
        )}
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title="Details">
            <ChannelDetails channel={channel} />
          </Panel>
          {channel.kind === 'webhook' && may('api:webhook_secret:read') && (
            <SecretsPanel channelId={channel.id} />
          )}
          {channel.config.sandbox === true && may('api:notification_channel:write') && (
            <RehearsePanel channelId={channel.id} />
          )}
          {may('api:event:read') && <FailuresPanel channelId={channel.id} />}
        </div>
      </div>
    </Page>
  );
}

/** When the channel failed, and why; nothing where it never did. */
function FailuresPanel({ channelId }: { readonly channelId: string }) {
  const query = useQuery(failuresQuery(channelId));
  if (query.error) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined || query.data.length === 0) return null;
  return (
    <Panel title="Past failures" isFlush aside={<span className="text-xs text-faint">last 30 days</span>}>
      <ul className="divide-y divide-line">
        {query.data.map(({ eventId, failed_at, failure_reason }) => (
          <li key={eventId} className="flex flex-col px-4 py-2.5 text-[13px]">
            <Link to="/events/$id" params={{ id: eventId }} className="font-medium hover:text-accent-ink">
              <Time at={failed_at} />
            </Link>
            <span className="break-words text-soft">{failure_reason}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const CHANGED = ['channel', 'channels', 'deliveries', 'stats'];

function ChannelActions({ channel }: { readonly channel: Channel }) {
  const client = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const params = { path: { notification_channel_id: channel.id } };
  const refresh = () =>
    client.invalidateQueries({ predicate: ({ queryKey }) => CHANGED.includes(String(queryKey[0])) });
  const archiving = useMutation({
    mutationFn: () =>
      bodyOf(api.POST('/notification_channels/{notification_channel_id}/actions/archive', { params })),
    onSuccess: () => tell('Channel archived'),
    onError: tellProblem,
    onSettled: refresh,
  });
  return (
    <>
      {!channel.is_archived && <TestButton channelId={channel.id} />}
      <Button icon={<Pencil aria-hidden className="size-4" />} onClick={() => setEditing(true)}>
        Edit
      </Button>
      {isEditing && <EditDialog channel={channel} onClose={() => setEditing(false)} />}
      {channel.is_archived || channel.status === 'failed' ? (
        <RestoreButton channel={channel} onRestored={refresh} />
      ) : (
        <ConfirmButton
          look="danger"
          isBusy={archiving.isPending}
          icon={<Archive aria-hidden className="size-4" />}
          question={`Archive ${channel.name}?`}
          consequence="Deliveries stop. Events are held for 14 days and can be delivered when you restore the channel."
          onConfirm={() => archiving.mutate()}
        >
          Archive
        </ConfirmButton>
      )}
    </>
  );
}

type Scenario = components['schemas']['Rehearsal']['scenario'];

const SCENARIOS: Readonly<Record<Scenario, string>> = {
  duplicate: 'The same event twice',
  reordered: 'Confirmed before detected',
  reorg: 'Undone after its confirmation',
  late: 'An event one hour late',
  burst: '1,000 events at once',
  slow: 'Resent because the response was lost',
  rotation: 'Two signatures during a rotation',
};

/** Of a sandbox: what a receiver meets on a bad day. */
function RehearsePanel({ channelId }: { readonly channelId: string }) {
  const client = useQueryClient();
  const [scenario, setScenario] = useState<Scenario>('duplicate');
  const rehearsing = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/actions/rehearse', {
          params: { path: { notification_channel_id: channelId } },
          body: { scenario },
        }),
      ),
    onSuccess: async ({ deliveries }) => {
      tell(
        deliveries.length === 1
          ? 'Sending 1 event'
          : `Sending ${deliveries.length.toLocaleString('en')} events`,
      );
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'deliveries' });
    },
    onError: tellProblem,
  });
  return (
    <Panel title="Rehearsals">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          rehearsing.mutate();
        }}
      >
        <Select
          label="Scenario"
          hint="Synthetic events, marked as test messages."
          value={scenario}
          onChange={(event) => setScenario(event.target.value as Scenario)}
        >
          {Object.entries(SCENARIOS).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </Select>
        <Button type="submit" isBusy={rehearsing.isPending} icon={<Play aria-hidden className="size-4" />}>
          Rehearse
        </Button>
      </form>
    </Panel>
  );
}

type Held = 'deliver' | 'discard';

interface RestoreButtonProps {
  readonly channel: Channel;
  readonly onRestored: () => Promise<unknown>;
}

/** Makes a channel active again, and says first what becomes of the events that wait for it. */
function RestoreButton({ channel, onRestored }: RestoreButtonProps) {
  const client = useQueryClient();
  const mayCount = useMay()('api:delivery:read');
  const count = useQuery({ ...heldCountQuery(channel.id), enabled: mayCount });
  const [isAsking, setAsking] = useState(false);
  const [held, setHeld] = useState<Held>('deliver');
  const restoring = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST('/notification_channels/{notification_channel_id}/actions/restore', {
          params: { path: { notification_channel_id: channel.id }, query: { held } },
        }),
      ),
    onSuccess: async () => {
      setAsking(false);
      tell('Channel restored');
      await client.invalidateQueries(heldCountQuery(channel.id));
      await onRestored();
    },
  });
  const waiting =
    count.data === undefined
      ? 'Events held meanwhile'
      : `${count.data.toLocaleString()} ${count.data === 1 ? 'held event' : 'held events'}`;
  return (
    <>
      <Button
        look="primary"
        icon={<ArchiveRestore aria-hidden className="size-4" />}
        onClick={() => setAsking(true)}
      >
        Restore
      </Button>
      {isAsking && (
        <Modal
          title={`Restore ${channel.name}`}
          description="Events are held for 14 days."
          onClose={() => setAsking(false)}
        >
          <div className="flex flex-col gap-3">
            <Select label={waiting} value={held} onChange={(event) => setHeld(event.target.value as Held)}>
              <option value="deliver">Deliver, oldest first</option>
              <option value="discard">Discard</option>
            </Select>
            {restoring.error && <Problem error={restoring.error} />}
          </div>
          <ModalActions>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button look="primary" isBusy={restoring.isPending} onClick={() => restoring.mutate()}>
              Restore
            </Button>
          </ModalActions>
        </Modal>
      )}
    </>
  );
}
