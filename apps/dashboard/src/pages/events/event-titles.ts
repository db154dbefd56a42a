import type { EventType } from '../../api/queries.ts';

/** Every type of event, in words. */
export const EVENT_TITLES: Readonly<Record<EventType, string>> = {
  'transaction.detected': 'A payment was seen',
  'transaction.progress': 'It has more confirmations',
  'transaction.confirmed': 'It is final',
  'transaction.reorged': 'It no longer counts',
  'transaction.failed': 'It failed',
  'balance.changed': 'A balance changed',
  'channel.failed': 'A channel was given up',
};
