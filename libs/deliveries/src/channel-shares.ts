// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import type { Database } from '@chainwatch/data/db';
import { ShareSupervisor, type ShareTiming, type ShareWork } from '@chainwatch/data/ownership';

/** Which channels this replica looks after. Every channel has one replica, and a replica that dies leaves its channels to the others. */
export interface ChannelShares {
  /** Whether this replica owns a channel now. */
  owns(channelId: string): boolean;
  /** First two hex digits of the owned ids; undefined when all are owned. */
  readonly partitions: readonly string[] | undefined;
  /** Gives up its shares, so that the others take over at once. */
  stop(): Promise<void>;
}

export interface ChannelSharesOptions {
  readonly db: Database;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called when channels came. */
  readonly onGain: () => void;
  /**
   * Called when channels went. Must resolve when none of their attempts is under way here, so that another
   * replica may begin.
   */
  readonly onLoss: (share: string) => Promise<void>;
  readonly timing?: Partial<ShareTiming>;
}

/** Each share has eight of the 256 first bytes: few enough shares to move one by one, enough for some replicas. */
const SHARES = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0'));

/** The share of a channel, by the first five bits of its id. */
export function shareOf(channelId: string): string {
  return SHARES[Number.parseInt(channelId.slice(0, 2), 16) >> 3]!;
}

function partitionsOf(share: string): string[] {
  const first = Number.parseInt(share, 16) << 3;
  return Array.from({ length: 8 }, (_, index) => (first + index).toString(16).padStart(2, '0'));
}

/** Shares the channels among the replicas, as rows of `owners` (kind `channels`). */
export function shareChannels({ db, logger, onGain, onLoss, timing }: ChannelSharesOptions): ChannelShares {
  type Held = Pick<ShareWork<string>, 'share' | 'signal'>;
  const owned = new Map<string, Held>();
  const listOwned = (): string[] =>
    [...owned].flatMap(([share, { signal }]) => (signal.aborted ? [] : [share])).sort();
  const supervisor = new ShareSupervisor({
    db,
    kind: 'channels',
    logger,
    listShares: () => Promise.resolve(new Map(SHARES.map((share) => [share, share]))),
    work: async ({ item: share, signal, share: held }) => {
      owned.set(share, { signal, share: held });
      onGain();
      await untilAborted(signal);
      owned.delete(share);
      await onLoss(share);
    },
    timing,
  });
  return {
    owns(channelId) {
      const held = owned.get(shareOf(channelId));
      return held !== undefined && !held.signal.aborted && held.share.isOurs;
    },
    get partitions() {
      const shares = listOwned();
      return shares.length === SHARES.length ? undefined : shares.flatMap(partitionsOf);
    },
    stop: () => supervisor.stop(),
  };
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
