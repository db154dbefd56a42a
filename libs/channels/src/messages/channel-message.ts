// SPDX-License-Identifier: Apache-2.0
import type { ChannelFailedData } from '@chainwatch/events';
import { listLinks } from './list-links.ts';
import { limit, type Message } from './message.ts';
import type { EventContext } from './name-book.ts';
import { toOneLine, writeLabel } from './name-parties.ts';

const REASON_LENGTH_MAX = 120;

/** A notification channel that failed, for people. */
export function describeChannel({ channel }: ChannelFailedData, context: EventContext): Message {
  const name = writeLabel(channel.name) ?? channel.id;
  const reason = toOneLine(channel.failure_reason);
  return {
    headline: `Channel ${name} failed · ${limit(toOneLine(channel.kind), 32)} · ${limit(reason, REASON_LENGTH_MAX)}`,
    subject: `Channel ${name} failed`,
    details: [
      ['Events are kept. Fix the cause, then restore the channel.'],
      ...(limit(reason, REASON_LENGTH_MAX) === reason ? [] : [[reason]]),
    ],
    links: listLinks(context, { page: `channels/${channel.id}`, name: 'channel' }),
  };
}
