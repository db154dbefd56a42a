// SPDX-License-Identifier: Apache-2.0
import type { Signal } from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { Logger, WorkerHealth } from '@chainwatch/platform/telemetry';
import { isBehind, isLate, type ChannelQueue, type RowCounts } from '../attempts/channel-queue.ts';
import type { ChannelQueues } from '../attempts/channel-queues.ts';
import type { ChannelShares } from '../channel-shares.ts';
import { isOpen, type Channel, type ChannelStore } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { DeliveryOptions } from '../delivery-options.ts';
import { listHistoryChannels, scheduleHistory } from './claim-history.ts';
import type { ProofPreparer } from '../proofs/proof-preparer.ts';
import {
  claimDeliveries,
  claimProbes,
  discardExpired,
  findDueChannels,
  holdDeliveries,
  listTests,
  PROBES_MAX,
} from './table.ts';

export interface ClaimLoopDeps {
  readonly db: Sql;
  readonly planned: Sql;
  readonly channels: ChannelStore;
  readonly queues: ChannelQueues;
  readonly proofs: Pick<ProofPreparer, 'prepare'>;
  readonly members: Pick<ChannelShares, 'owns' | 'partitions'>;
  /** Ends the wait before the next step. */
  readonly wake: Signal;
  readonly options: DeliveryOptions;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly health: WorkerHealth | undefined;
  readonly now: () => number;
}

/** Channels of one statement, and rows, divided among them. */
const CHANNELS_MAX = 200;
const ROWS_MAX = 500;
const NOTHING: ReadonlySet<string> = new Set();
/** Of one look. */
const PROBE_ROUNDS = 10;
const CLEAN_UP_MS = 600_000;
/** A queue that nobody used for so long is dropped. */
const IDLE_MS = 60_000;

/** Brings deliveries from the table into the queues of their channels, as many as can start soon. */
export class ClaimLoop {
  readonly #deps: ClaimLoopDeps;
  readonly #stop = new AbortController();
  readonly #lastAt = { look: -Infinity, refresh: 0, history: -Infinity, cleanUp: 0 };
  /** Queues of channels that have events of history before them. */
  readonly #historical = new Set<ChannelQueue>();
  readonly #running: Promise<void>;

  constructor(deps: ClaimLoopDeps) {
    this.#deps = deps;
    this.#running = this.#run();
  }

  /** Channels that may have new deliveries. Those of other replicas are theirs. */
  offer(channels: readonly Channel[]): void {
    const { queues, members, wake } = this.#deps;
    const own = channels.filter(({ id }) => members.owns(id));
    for (const channel of own) queues.noteMore(queues.of(channel));
    if (own.length > 0) wake.notify();
  }

  /** Deliveries of the channel may start now that could not before. */
  lookAt(channelId: string): void {
    const { queues, wake } = this.#deps;
    const queue = queues.find(channelId);
    if (queue === undefined) return;
    queues.noteMore(queue);
    wake.notify();
  }

  /** Looks at all channels soon: some came. */
  lookAgain(): void {
    this.#lastAt.look = -Infinity;
    this.#deps.wake.notify();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { options, logger, health, wake } = this.#deps;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        if (await this.#step()) wake.notify();
        health?.succeed();
      } catch (err) {
        health?.fail('failed to claim due deliveries');
        logger.warn({ err }, 'failed to claim due deliveries');
      }
      await wake.wait(options.pollMs, signal);
    }
  }

  /** True: there may be more. */
  async #step(): Promise<boolean> {
    const { db, queues, options } = this.#deps;
    // Ahead of the others, and between them: a bell waits for nothing but the statement before it.
    await this.#claim();
    let isMore = false;
    // Ahead of the probes, which go by what is held.
    if (queues.closed.size > 0) isMore = await this.#hold();
    if (this.#isDue('refresh', options.refreshMs)) await this.#refresh();
    if (this.#isDue('look', options.pollMs)) isMore = (await this.#look()) || isMore;
    if (this.#isDue('cleanUp', CLEAN_UP_MS))
      while (!this.#stop.signal.aborted && (await discardExpired(db)) > 0) await this.#claim();
    isMore = (await this.#makeHistory()) || isMore;
    return isMore || this.#isHungry;
  }

  #isDue(what: 'look' | 'refresh' | 'history' | 'cleanUp', intervalMs: number): boolean {
    const nowMs = this.#deps.now();
    if (nowMs - this.#lastAt[what] < intervalMs) return false;
    this.#lastAt[what] = nowMs;
    return true;
  }

  /** Claims for the queues that may have more, each in turn. */
  async #claim(): Promise<void> {
    const { queues } = this.#deps;
    const claims = this.#listClaims();
    if (claims.length === 0) return;
    for (const { queue, asked } of claims) queue.beginClaim(asked);
    let jobs: readonly DeliveryJob[];
    try {
      const rows = claims.map(({ queue, asked }) => ({
        ...{ channelId: queue.channel.id, run: queue.runOf(asked) },
        ...asked,
      }));
      jobs = await claimDeliveries(
        this.#deps.planned,
        rows,
        claims.flatMap(({ queue }) => [...queue.ids]),
      );
    } catch (error) {
      for (const { queue, asked } of claims) {
        queue.endClaim(asked, asked);
        queues.hungry.add(queue);
      }
      throw error;
    }
    const jobsOf = new Map<string, DeliveryJob[]>(claims.map(({ queue }) => [queue.channel.id, []]));
    for (const job of jobs) jobsOf.get(job.channelId)!.push(job);
    for (const { queue, asked } of claims) this.#endClaim(queue, asked, jobsOf.get(queue.channel.id)!);
  }

  get #isHungry(): boolean {
    const { queues } = this.#deps;
    for (const queue of queues.hungry) if (this.#asks(queue) !== undefined) return true;
    return false;
  }

  #endClaim(queue: ChannelQueue, asked: RowCounts, got: readonly DeliveryJob[]): void {
    const { queues, now } = this.#deps;
    const missing = this.#listUnproved(queue.channel, got);
    const first = queue.fitting(got.filter((job) => !isBehind(job)));
    const behind = got.filter(isBehind);
    const isFull = asked.first > 0 && first.length >= asked.first;
    // None passes by one whose proof is not there yet.
    const firstMissing = first.findIndex(({ id }) => missing.has(id));
    const startable = firstMissing < 0 ? first : first.slice(0, firstMissing);
    const others = behind.filter(({ id }) => !missing.has(id));
    for (const job of startable) this.#enqueue(job);
    // The table has more first attempts, which go before.
    for (const job of others) if (!isFull || isLate(job, now())) this.#enqueue(job);
    // What is missing comes with `lookAt`.
    queue.endClaim(asked, { first: startable.length, behind: isFull ? asked.behind : others.length });
    if (queue.mayHaveMore) queues.hungry.add(queue);
    queues.tellReady(queue);
  }

  /** Ids of the jobs whose proof is not there yet. */
  #listUnproved(channel: Channel, jobs: readonly DeliveryJob[]): ReadonlySet<string> {
    const { id: channelId, workspaceId, includeProof } = channel;
    return includeProof === undefined
      ? NOTHING
      : this.#deps.proofs.prepare({ channelId, workspaceId, includeProof }, jobs);
  }

  #listClaims(): { readonly queue: ChannelQueue; readonly asked: RowCounts }[] {
    const { queues } = this.#deps;
    const claims: { queue: ChannelQueue; asked: RowCounts }[] = [];
    const share = Math.max(2, Math.floor(ROWS_MAX / Math.min(CHANNELS_MAX, queues.hungry.size)));
    let { room } = queues;
    for (const queue of queues.hungry) {
      if (claims.length === CHANNELS_MAX || (room <= 0 && claims.length > 0)) break;
      const asked = this.#asks(queue);
      if (asked === undefined) {
        // It waits for no claim that cannot come.
        if (!queues.mayClaim(queue)) queues.tellReady(queue);
        continue;
      }
      const first = Math.min(asked.first, share, room);
      const behind = Math.min(asked.behind, share);
      claims.push({ queue, asked: { first, behind } });
      room -= first + behind;
    }
    // Those that may have still more come again behind the others.
    for (const { queue } of claims) queues.hungry.delete(queue);
    return claims;
  }

  #asks(queue: ChannelQueue): RowCounts | undefined {
    const { queues, members, now } = this.#deps;
    if (!queues.mayClaim(queue)) return undefined;
    const asked = queue.asks(now());
    return asked.first + asked.behind > 0 && members.owns(queue.channel.id) ? asked : undefined;
  }

  /** Another replica sends what is not ours any more, and nobody what its channel was closed for meanwhile. */
  #enqueue(job: DeliveryJob): void {
    const { queues, members } = this.#deps;
    const queue = queues.find(job.channelId);
    if (queue === undefined || !members.owns(job.channelId) || this.#stop.signal.aborted) return;
    if (isOpen(queue.channel) || job.isTest || job.isProbe) queues.enqueue(job);
  }

  /** Some rows at a time: claims do not wait for those of many channels that close together. */
  async #hold(): Promise<boolean> {
    const { planned, queues } = this.#deps;
    const closed = [...queues.closed];
    const hasMore = await holdDeliveries(planned, closed);
    if (!hasMore) for (const id of closed) queues.closed.delete(id);
    await this.#claim();
    return hasMore;
  }

  /** Asks the table which channels have something to do. True: some have. */
  async #look(): Promise<boolean> {
    const { planned, channels, queues, members } = this.#deps;
    const due = await findDueChannels(planned, members.partitions);
    await this.#claim();
    const startable = new Set(due.filter(({ isDue }) => isDue).map(({ id }) => id));
    for (const channel of await channels.listByIds(due.map(({ id }) => id))) {
      const queue = queues.of(channel);
      if (startable.has(channel.id)) queues.noteMore(queue);
    }
    await this.#claim();
    await this.#probe();
    const withTests = due.filter(({ hasTests }) => hasTests).map(({ id }) => id);
    for (const job of withTests.length > 0 ? await listTests(planned, withTests, ROWS_MAX) : [])
      this.#enqueue(job);
    for (const { id } of due.filter(({ isToBeHeld }) => isToBeHeld)) queues.closed.add(id);
    return startable.size > 0;
  }

  /** Some at a time: claims do not wait for those of many channels that failed together. */
  async #probe(): Promise<void> {
    for (let round = 0; round < PROBE_ROUNDS; round += 1) {
      if ((await this.#probeSome()) < PROBES_MAX) return;
      await this.#claim();
    }
  }

  /** @returns how many were due. No claim comes in between: what is idle when it is read is nobody else's. */
  async #probeSome(): Promise<number> {
    const { db, channels, queues, members, options } = this.#deps;
    const probes = await claimProbes(db, options.probeIntervalMs, members.partitions);
    for (const channel of await channels.listByIds(probes.map(({ channelId }) => channelId)))
      queues.of(channel);
    const isIdle = ({ channelId }: DeliveryJob): boolean => {
      const queue = queues.find(channelId);
      return queue !== undefined && queue.ids.size === 0 && queue.channel.fault === undefined;
    };
    // One that has no proof yet goes with the next probe.
    for (const job of probes)
      if (isIdle(job) && this.#listUnproved(queues.find(job.channelId)!.channel, [job]).size === 0)
        this.#enqueue(job);
    return probes.length;
  }

  /** Gives the queues the present state of their channels, and drops queues that nobody uses. */
  async #refresh(): Promise<void> {
    const { channels, queues, now } = this.#deps;
    for (const queue of [...queues]) if (queue.isUnusedSince(now() - IDLE_MS)) queues.drop(queue.channel.id);
    const busy = [...queues].filter(({ isIdle }) => !isIdle);
    const listed = await channels.listByIds(busy.map(({ channel }) => channel.id));
    for (const channel of listed) queues.of(channel);
    const known = new Set(listed.map(({ id }) => id));
    // The channel was deleted, and its deliveries with it.
    for (const { channel, active } of busy.filter(({ channel: { id } }) => !known.has(id)))
      if (active === 0) queues.drop(channel.id);
    await this.#claim();
  }

  /** Of open channels that have nothing else to do. True: there may be more. */
  async #makeHistory(): Promise<boolean> {
    const { db, channels, queues, members, options, logger } = this.#deps;
    const isLook = this.#isDue('history', options.pollMs * 2);
    const channelIds = isLook
      ? await listHistoryChannels(db, members.partitions)
      : [...this.#historical].filter(({ needsHistory }) => needsHistory).map(({ channel: { id } }) => id);
    let isMore = false;
    for (const channel of await channels.listByIds(channelIds)) {
      if (!members.owns(channel.id)) continue;
      const queue = queues.of(channel);
      const isFree = queue.ids.size === 0 && !queue.mayHaveMore;
      const { hasMore, hasMade } = await scheduleHistory(db, channel, { isFree, logger });
      // What was not free at a look is free after the next claim, or when its deliveries are on record.
      if (isFree || isLook) queue.hasHistory = !isFree || hasMore;
      if (queue.hasHistory) this.#historical.add(queue);
      else this.#historical.delete(queue);
      if (hasMade) queues.noteMore(queue);
      isMore ||= hasMade || queue.needsHistory;
      await this.#claim();
    }
    return isMore;
  }
}
