import type { Channel } from '../channel-config.ts';

/** What limits the one limits the other: it is the same channel, or both write with one bot, whose limit is one over all its chats. */
export function sharesLimit(left: Channel, right: Channel): boolean {
  return (
    left.id === right.id ||
    (left.target.kind === 'telegram' &&
      right.target.kind === 'telegram' &&
      left.target.botToken === right.target.botToken)
  );
}
