// SPDX-License-Identifier: Apache-2.0
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { failuresQuery } from '../../api/channel-queries.ts';
import { Problem } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';

/** When the channel failed, and why; nothing where it never did. */
export function FailuresPanel({ channelId }: { readonly channelId: string }) {
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
