// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { channelQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { withoutEmpty } from '../../app/search-params.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Page, Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Activity } from '../activity/activity.tsx';
import { ChannelActions } from './channel-actions.tsx';
import { ChannelDetails } from './channel-details.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { FailuresPanel } from './failures-panel.tsx';
import { describeKind } from './kinds.ts';
import { RehearsePanel } from './rehearse-panel.tsx';
import { SecretsPanel } from './secrets-panel.tsx';

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
