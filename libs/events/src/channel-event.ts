import type { EventSubjectMatter } from './event-definition.ts';
import { channelFailedData } from './event-records.ts';

/** Events about a notification channel. */
export const channelEvent: EventSubjectMatter<typeof channelFailedData> = {
  data: channelFailedData,
  // Filters are about what happens on chains.
  facts: () => undefined,
  lines: ({ channel }) => [[`${channel.name} (${channel.kind})`], [channel.failure_reason]],
  brief: ({ channel }) => [[channel.name]],
};
