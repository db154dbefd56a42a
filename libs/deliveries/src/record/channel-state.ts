import type { Channel } from '../channel.ts';

/** What attempts say about a channel: the states of its breaker (decisions.md §5). */
export interface ChannelState extends Pick<Channel, 'status' | 'isArchived' | 'consecutiveFailures'> {
  readonly id: string;
  readonly projectId: string;
  readonly kind: string;
  readonly name: string;
  readonly failureReason: string | null;
}
