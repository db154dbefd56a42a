import type { Logger, WorkerHealth } from '@chainwatch/telemetry';
import type { Sql } from '@chainwatch/db';
import type { ChannelQueues } from '../channel-queue/channel-queues.ts';
import type { JobsInMemory } from '../channel-queue/jobs-in-memory.ts';
import type { ChannelShares } from '../channel-shares.ts';
import type { ChannelStore } from '../channel-store.ts';
import type { DeliveryOptions } from '../delivery-options.ts';

export interface ClaimDeps {
  readonly db: Sql;
  readonly channels: ChannelStore;
  readonly queues: ChannelQueues;
  readonly jobs: JobsInMemory;
  readonly members: Pick<ChannelShares, 'owns' | 'partitions'>;
  readonly options: DeliveryOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly now: () => number;
}

/** What the owner before has claimed (leftovers.ts). */
export interface ClaimLoopDeps extends ClaimDeps {
  readonly health: WorkerHealth | undefined;
  readonly leftovers: { readonly park: () => Promise<void>; readonly has: (id: string) => boolean };
}

/** Rows that one statement claims. */
export const CLAIM_MAX = 500;
