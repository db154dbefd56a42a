import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { channelQuery, type Channel } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Problem, Waiting } from '../../ui/notice.tsx';
import { Fact, Facts, Page, Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ChannelActions } from './channel-actions.tsx';
import { DeliveryLog } from './delivery-log.tsx';
import { FailuresPanel } from './failures-panel.tsx';
import { KINDS, targetOf } from './kinds.ts';
import { SecretsPanel } from './secrets-panel.tsx';

export function ChannelPage() {
  const { id } = useParams({ from: '/shell/channels/$id' });
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
          / {KINDS[channel.kind].title}
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
        {may('api:delivery:read') && <DeliveryLog channelId={channel.id} />}
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title="Details">
            <Details channel={channel} />
          </Panel>
          {channel.kind === 'webhook' && may('api:webhook_secret:read') && (
            <SecretsPanel channelId={channel.id} />
          )}
          {may('api:event:read') && <FailuresPanel channelId={channel.id} />}
        </div>
      </div>
    </Page>
  );
}

function Details({ channel }: { readonly channel: Channel }) {
  return (
    <Facts>
      <Fact name="Target">
        <span className="font-mono break-all">{targetOf(channel)}</span>
      </Fact>
      <Fact name="Events">
        <span className="flex flex-wrap gap-1">
          {channel.config.event_types.map((type) => (
            <code key={type} className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs">
              {type}
            </code>
          ))}
        </span>
      </Fact>
      {channel.failure_reason !== null && <Fact name="Given up">{channel.failure_reason}</Fact>}
      <Fact name="Added">
        <Time at={channel.created_at} isLong />
      </Fact>
    </Facts>
  );
}
