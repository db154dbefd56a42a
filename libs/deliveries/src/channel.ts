import type { ChannelFilters, ChannelKind, ChannelTarget } from '@chainwatch/channels';

/** A row of notification_channels as the engine uses it. */
export interface Channel {
  readonly id: string;
  readonly projectId: string;
  readonly status: 'active' | 'failing' | 'failed';
  readonly isArchived: boolean;
  readonly consecutiveFailures: number;
  /** Undefined for a kind of a newer release. */
  readonly kind: ChannelKind | undefined;
  /** Undefined when there is a `fault`. */
  readonly target: ChannelTarget | undefined;
  readonly eventTypes: ReadonlySet<string>;
  readonly filters: ChannelFilters;
  /** It gets events of history, too. */
  readonly includesHistory?: boolean;
  readonly throttlePerSecond: number | undefined;
  /** Channels with the same group are paused together. */
  readonly pauseGroup: string | undefined;
  /** Why the service cannot use the channel for now: a secret that does not open, or a kind that it does not know. */
  readonly fault: string | undefined;
}

/** An open channel gets its events at once; those of a closed one wait in the database as held. */
export function isOpen(channel: Pick<Channel, 'status' | 'isArchived'>): boolean {
  return channel.status === 'active' && !channel.isArchived;
}
