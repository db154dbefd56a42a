import type { Channel } from '../channel.ts';

/**
 * Whether a limit of one channel limits the other: they are the same channel, or their kind says that both
 * write to one receiver.
 */
export function sharesLimit(left: Channel, right: Channel): boolean {
  const { kind, pauseGroup } = left;
  return (
    left.id === right.id ||
    (pauseGroup !== undefined && pauseGroup === right.pauseGroup && kind === right.kind)
  );
}
