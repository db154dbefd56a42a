// SPDX-License-Identifier: Apache-2.0
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, bodyOf } from '../../api/client.ts';
import { useMay } from '../../api/session.ts';
import type { Kind } from './kinds.ts';

/** Members of a channel that select its events. */
export interface Selection {
  readonly event_types?: readonly string[];
  readonly filters?: object;
}

interface PreviewLineProps {
  readonly kind: Kind;
  readonly selection: Selection;
}

const WEEK_MS = 7 * 86_400_000;
/** A choice that changes again within this time is not asked about. */
const SETTLE_MS = 400;

/** How much the channel would have had to do last week; nothing where that cannot be told. */
export function PreviewLine({ kind, selection }: PreviewLineProps) {
  const { data } = usePreview(kind, selection);
  return data === undefined ? null : (
    <p role="status" className="text-[13px] text-soft">
      {describePreview(data)}
    </p>
  );
}

/** What the preview of a channel says of a week. */
interface Week {
  readonly event_count: number;
  readonly is_complete: boolean;
}

/** One line for people: `Last week this channel would have had 412 events.` */
export function describePreview({ event_count: count, is_complete: isComplete }: Week): string {
  if (count === 0)
    return isComplete
      ? 'Last week this channel would have had no events.'
      : 'Last week had more events than a preview counts.';
  const events = `${count.toLocaleString('en-US')} ${count === 1 ? 'event' : 'events'}`;
  return `Last week this channel would have had ${isComplete ? events : `at least ${events}`}.`;
}

/** Asks about the last seven days once the selection has not changed for a moment. */
function usePreview(kind: Kind, selection: Selection) {
  const may = useMay();
  const asked = useSettled(JSON.stringify({ kind, ...selection }));
  return useQuery({
    queryKey: ['channel-preview', asked],
    queryFn: ({ signal }) => {
      const since = new Date(Date.now() - WEEK_MS).toISOString();
      const body = { ...(JSON.parse(asked) as Selection), since };
      return bodyOf(api.POST('/notification_channels/preview', { body: body as never, signal }));
    },
    enabled: may('api:event:read'),
    placeholderData: keepPreviousData,
    retry: false,
  });
}

/** The value as it was when it last stayed the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
