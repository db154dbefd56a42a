// SPDX-License-Identifier: Apache-2.0
import type { EventSubjectMatter } from './event-definition.ts';
import { channelFailedData } from './event-records.ts';

/** Events about a notification channel. */
export const channelEvent: EventSubjectMatter<typeof channelFailedData> = {
  matter: 'channel',
  data: channelFailedData,
  // Filters are about what happens on chains.
  facts: () => undefined,
};
