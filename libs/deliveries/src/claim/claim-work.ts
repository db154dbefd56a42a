import type { ChannelQueue } from '../channel-queue/channel-queue.ts';
import { isOpen } from '../channel-config.ts';
import type { DeliveryEngine } from '../create-delivery-engine.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryLogger, DeliveryOptions } from '../delivery-options.ts';

interface ClaimWorkInput {
  readonly engine: DeliveryEngine;
  readonly options: DeliveryOptions;
  readonly logger: DeliveryLogger;
  readonly now: () => number;
  readonly extendLeases: () => Promise<void>;
  readonly dropQueue: (channelId: string) => void;
}

export interface ClaimLoop {
  wake(): void;
  /** Learns which channels have something waiting in the database, before anything new goes to them. */
  findBacklogs(): Promise<void>;
  stop(): Promise<void>;
}

const CLAIM_MAX = 500;
const QUEUE_IDLE_MS = 60_000;

/** The loop that turns rows of the deliveries table into jobs: retries that are due, backlogs of open channels, probes of failing ones. */
export function claimWork(input: ClaimWorkInput): ClaimLoop {
  const { engine, options, logger, now } = input;
  let isStopped = false;
  let isWoken = false;
  let interrupt: (() => void) | undefined;
  const lastAt = { refresh: 0, extend: now(), discard: 0, backlogs: 0 };
  const loop = run();

  async function run(): Promise<void> {
    while (!isStopped) {
      isWoken = false;
      try {
        await step();
      } catch (error) {
        logger.warn({ error: String(error) }, 'due deliveries could not be taken, they are taken later');
      }
      if (!isWoken && !isStopped) await pause(options.pollMs);
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function step(): Promise<void> {
    if (isDue('extend', options.visibilityMs / 4)) await input.extendLeases();
    if (isDue('refresh', options.refreshMs)) await refreshQueues();
    if (isDue('backlogs', options.pollMs * 2)) await findBacklogs();
    if (isDue('discard', 600_000)) await cleanUp();
    await claimDue();
    await claimBacklogs();
    await claimProbes();
  }

  /** In batches, so that no statement takes long. */
  async function cleanUp(): Promise<void> {
    while (!isStopped && (await engine.deliveries.discardExpired()) > 0);
    while (!isStopped && (await engine.deliveries.deleteOld()) > 0);
  }

  function isDue(what: keyof typeof lastAt, intervalMs: number): boolean {
    if (now() - lastAt[what] < intervalMs) return false;
    lastAt[what] = now();
    return true;
  }

  async function refreshQueues(): Promise<void> {
    const idle = [...engine.queues].filter(
      ([, queue]) => queue.isIdle && now() - queue.usedAtMs > QUEUE_IDLE_MS,
    );
    for (const [id] of idle) input.dropQueue(id);
    const busy = [...engine.queues].filter(([, queue]) => !queue.isIdle).map(([id]) => id);
    const channels = await engine.channels.listByIds(busy);
    for (const channel of channels) engine.queueOf(channel);
    const gone = new Set(busy);
    for (const { id } of channels) gone.delete(id);
    // The channel was deleted, and its deliveries with it.
    for (const id of gone) if (engine.queues.get(id)?.active === 0) input.dropQueue(id);
  }

  async function findBacklogs(): Promise<void> {
    const channels = await engine.channels.listByIds(
      await engine.deliveries.listBacklogs(engine.members.partitions),
    );
    for (const channel of channels) engine.queueOf(channel).hasBacklog = true;
  }

  async function claimDue(): Promise<void> {
    const full = [...engine.queues].filter(([, queue]) => queue.room <= 0).map(([id]) => id);
    const limit = Math.min(CLAIM_MAX, engine.room);
    if (limit <= 0) return;
    const { jobs, parkedCount } = await engine.deliveries.claimDue(limit, full, engine.members.partitions);
    await enqueueAll(jobs);
    if (jobs.length + parkedCount >= limit) isWoken = true;
  }

  async function enqueueAll(jobs: readonly DeliveryJob[]): Promise<void> {
    const fresh = jobs.filter(({ id }) => !engine.has(id));
    const channels = await engine.channels.listByIds([...new Set(fresh.map(({ channelId }) => channelId))]);
    for (const channel of channels) engine.queueOf(channel);
    const overfull = new Set<ChannelQueue>();
    const returned: string[] = [];
    for (const job of fresh) {
      const queue = engine.queues.get(job.channelId);
      if (queue !== undefined && job.isTest) {
        engine.enqueue(job);
        continue;
      }
      const hasRoom = queue !== undefined && engine.roomFor(queue) > 0;
      if (hasRoom && isOpen(queue.channel)) engine.enqueue(job);
      else {
        returned.push(job.id);
        if (queue !== undefined && !hasRoom) overfull.add(queue);
      }
    }
    await engine.deliveries.giveBack(returned, 0);
    for (const queue of overfull) {
      await engine.deliveries.parkDue(queue.channel.id);
      queue.hasBacklog = true;
    }
  }

  async function claimBacklogs(): Promise<void> {
    for (const [id, queue] of engine.queues) {
      if (!queue.hasBacklog) continue;
      if (!isOpen(queue.channel) || !engine.members.owns(id)) queue.hasBacklog = false;
      else if (queue.queued < options.queuePerChannel / 2) await claimBacklog(queue);
    }
  }

  async function claimBacklog(queue: ChannelQueue): Promise<void> {
    const limit = Math.min(CLAIM_MAX, engine.roomForBacklog(queue));
    if (limit <= 0) return;
    const { parkedCount, parkingUnderWay } = queue;
    const jobs = await engine.deliveries.claimParked(queue.channel.id, limit, false);
    for (const job of jobs) engine.enqueue(job);
    // Empty only when nothing was put there since the look began.
    if (jobs.length < limit && parkingUnderWay === 0 && queue.parkedCount === parkedCount)
      queue.hasBacklog = false;
    else isWoken = jobs.length > 0;
  }

  async function claimProbes(): Promise<void> {
    const channels = await engine.channels.listByIds(
      await engine.deliveries.claimProbes(options.probeIntervalMs, engine.members.partitions),
    );
    for (const channel of channels) {
      const queue = engine.queueOf(channel);
      if (queue.active > 0 || channel.fault !== undefined) continue;
      for (const job of await engine.deliveries.claimParked(channel.id, 1, true)) engine.enqueue(job);
    }
  }

  return {
    findBacklogs,
    wake() {
      isWoken = true;
      interrupt?.();
    },
    async stop() {
      isStopped = true;
      interrupt?.();
      await loop;
    },
  };
}
