import type { Channel } from '../channel.ts';

/** What limits the one limits the other: it is the same channel, or its kind says that both write to one receiver. */
export function sharesLimit(left: Channel, right: Channel): boolean {
  const { kind, pauseGroup } = left;
  return (
    left.id === right.id ||
    (pauseGroup !== undefined && pauseGroup === right.pauseGroup && kind === right.kind)
  );
}
