import type { ChannelLane } from '../channel-queue/channel-queue.ts';
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
  readonly dropLane: (channelId: string) => void;
}

export interface ClaimLoop {
  wake(): void;
  /** Learns which channels have something waiting in the database, before anything new goes to them. */
  findBacklogs(): Promise<void>;
  stop(): Promise<void>;
}

const CLAIM_MAX = 500;
const LANE_IDLE_MS = 60_000;

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
    if (isDue('refresh', options.refreshMs)) await refreshLanes();
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

  async function refreshLanes(): Promise<void> {
    const idle = [...engine.lanes].filter(([, lane]) => lane.isIdle && now() - lane.usedAtMs > LANE_IDLE_MS);
    for (const [id] of idle) input.dropLane(id);
    const busy = [...engine.lanes].filter(([, lane]) => !lane.isIdle).map(([id]) => id);
    const channels = await engine.channels.listByIds(busy);
    for (const channel of channels) engine.laneOf(channel);
    const gone = new Set(busy);
    for (const { id } of channels) gone.delete(id);
    // The channel was deleted, and its deliveries with it.
    for (const id of gone) if (engine.lanes.get(id)?.active === 0) input.dropLane(id);
  }

  async function findBacklogs(): Promise<void> {
    const channels = await engine.channels.listByIds(
      await engine.deliveries.listBacklogs(engine.members.partitions),
    );
    for (const channel of channels) engine.laneOf(channel).hasBacklog = true;
  }

  async function claimDue(): Promise<void> {
    const full = [...engine.lanes].filter(([, lane]) => lane.room <= 0).map(([id]) => id);
    const limit = Math.min(CLAIM_MAX, engine.room);
    if (limit <= 0) return;
    const { jobs, heldCount } = await engine.deliveries.claimDue(limit, full, engine.members.partitions);
    await enqueueAll(jobs);
    if (jobs.length + heldCount >= limit) isWoken = true;
  }

  async function enqueueAll(jobs: readonly DeliveryJob[]): Promise<void> {
    const fresh = jobs.filter(({ id }) => !engine.has(id));
    const channels = await engine.channels.listByIds([...new Set(fresh.map(({ channelId }) => channelId))]);
    for (const channel of channels) engine.laneOf(channel);
    const overfull = new Set<ChannelLane>();
    const returned: string[] = [];
    for (const job of fresh) {
      const lane = engine.lanes.get(job.channelId);
      if (lane !== undefined && job.isTest) {
        engine.enqueue(job);
        continue;
      }
      const hasRoom = lane !== undefined && engine.roomFor(lane) > 0;
      if (hasRoom && isOpen(lane.channel)) engine.enqueue(job);
      else {
        returned.push(job.id);
        if (lane !== undefined && !hasRoom) overfull.add(lane);
      }
    }
    await engine.deliveries.giveBack(returned, 0);
    for (const lane of overfull) {
      await engine.deliveries.holdDue(lane.channel.id);
      lane.hasBacklog = true;
    }
  }

  async function claimBacklogs(): Promise<void> {
    for (const [id, lane] of engine.lanes) {
      if (!lane.hasBacklog) continue;
      if (!isOpen(lane.channel) || !engine.members.owns(id)) lane.hasBacklog = false;
      else if (lane.queued < options.queuePerChannel / 2) await claimBacklog(lane);
    }
  }

  async function claimBacklog(lane: ChannelLane): Promise<void> {
    const limit = Math.min(CLAIM_MAX, engine.roomForBacklog(lane));
    if (limit <= 0) return;
    const { heldCount, heldUnderWay } = lane;
    const jobs = await engine.deliveries.claimHeld(lane.channel.id, limit, false);
    for (const job of jobs) engine.enqueue(job);
    // Empty only when nothing was put there since the look began.
    if (jobs.length < limit && heldUnderWay === 0 && lane.heldCount === heldCount) lane.hasBacklog = false;
    else isWoken = jobs.length > 0;
  }

  async function claimProbes(): Promise<void> {
    const channels = await engine.channels.listByIds(
      await engine.deliveries.claimProbes(options.probeIntervalMs, engine.members.partitions),
    );
    for (const channel of channels) {
      const lane = engine.laneOf(channel);
      if (lane.active > 0 || channel.fault !== undefined) continue;
      for (const job of await engine.deliveries.claimHeld(channel.id, 1, true)) engine.enqueue(job);
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
