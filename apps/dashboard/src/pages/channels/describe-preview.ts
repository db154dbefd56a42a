// SPDX-License-Identifier: Apache-2.0
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
