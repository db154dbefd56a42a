import type { Logger } from '@chainwatch/telemetry';
import type { Database } from '@chainwatch/db';
import { ShareSupervisor, type ShareTiming } from '@chainwatch/ownership';

/** Which channels this replica looks after. Every channel has one replica, and a replica that dies leaves its channels to the others. */
export interface ChannelShares {
  /** Of what came before the last `begin`. */
  owns(id: string): boolean;
  /**
   * Begins to look after the channels that came. Between two takings over only: an event that is on its way while its
   * channel comes would otherwise go ahead of older ones that only the table has.
   */
  begin(): void;
  /** First two hex digits of the ids that are owned; undefined when that is all of them. */
  readonly partitions: readonly string[] | undefined;
  /** Leaves, so that the others take over at once. */
  stop(): Promise<void>;
}

export interface ChannelSharesOptions {
  readonly db: Database;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called when channels came. */
  readonly onGain: () => void;
  /** Called when channels went: resolves when nothing of theirs is under way here, and another replica may begin. */
  readonly onLoss: (share: string) => Promise<void>;
  readonly timing?: Partial<ShareTiming>;
}

/** Eight of the 256 first bytes each: few enough to move one by one, enough for some replicas. */
const SHARES = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0'));

/** By the id's first five bits. Projects without channels are shared in the same way. */
export function shareOf(id: string): string {
  return SHARES[Number.parseInt(id.slice(0, 2), 16) >> 3]!;
}

function partitionsOf(share: string): string[] {
  const first = Number.parseInt(share, 16) << 3;
  return Array.from({ length: 8 }, (_, index) => (first + index).toString(16).padStart(2, '0'));
}

/** Shares the channels among the replicas, as rows of `owners` (kind `channels`). */
export function shareChannels({ db, logger, onGain, onLoss, timing }: ChannelSharesOptions): ChannelShares {
  const gained = new Map<string, AbortSignal>();
  const owned = new Map<string, AbortSignal>();
  const listOwned = (): string[] =>
    [...owned].flatMap(([share, signal]) => (signal.aborted ? [] : [share])).sort();
  const supervisor = new ShareSupervisor({
    db,
    kind: 'channels',
    logger,
    listShares: () => Promise.resolve(new Map(SHARES.map((share) => [share, share]))),
    work: async ({ item: share, signal }) => {
      gained.set(share, signal);
      onGain();
      await untilAborted(signal);
      gained.delete(share);
      owned.delete(share);
      await onLoss(share);
    },
    timing,
  });
  return {
    owns: (id) => owned.get(shareOf(id))?.aborted === false,
    begin() {
      for (const [share, signal] of gained) owned.set(share, signal);
      gained.clear();
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
