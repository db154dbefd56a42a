// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import {
  isUncounted,
  shapePayload,
  type Attempt,
  type RecordedRequest,
  type Sender,
} from '@chainwatch/channels';
import type { Signal } from '@chainwatch/chain-core';
import type { Channel } from '../channel-store.ts';
import type { DeliveryJob } from '../delivery-job.ts';
import type { MessageNames } from '../names/message-names.ts';
import { rehearse } from '../rehearsal.ts';
import type { DeliveryDependencies, DeliveryOptions } from '../delivery-options.ts';
import type { ChannelState, FinishedAttempt } from '../record/decide-outcome.ts';
import type { Recorder } from '../record/recorder.ts';
import { WAIT_MS_MAX } from '../record/decide-outcome.ts';
import type { ChannelQueue } from './channel-queue.ts';
import type { ChannelQueues, QueueListener } from './channel-queues.ts';

/** Senders by kind of channel. */
export type Senders = ReadonlyMap<string, Sender>;

interface Sending extends Pick<DeliveryDependencies, 'trace' | 'logger'> {
  readonly senders: Senders;
  /** For messages to people. */
  readonly names: MessageNames;
  readonly options: Pick<DeliveryOptions, 'attemptTimeoutMs'>;
}

export interface AttemptStarterDeps extends Sending, Pick<DeliveryDependencies, 'onAttempt'> {
  readonly queues: ChannelQueues;
  readonly recorder: Pick<Recorder, 'add' | 'isFull' | 'listen'>;
  /** Notified when a queue runs low that may have more in the table. */
  readonly wake: Signal;
  readonly options: Pick<DeliveryOptions, 'attemptTimeoutMs' | 'concurrency'>;
  /** Whether the channel is this replica's now. */
  readonly owns: (channelId: string) => boolean;
  readonly now: () => number;
}

/** Most requests begun in one turn of the event loop, so that answers are read in between and their sockets used again. */
const STARTS_PER_TURN = 32;
/** A share of which it is not known whether it is ours is looked at again after this. */
const LOST_LOOK_MS = 500;
/** Of what is recorded of a shaped event, in characters. */
const BODY_LENGTH_MAX = 16_384;
/** Pause where a receiver does not say how long to wait. */
const PAUSE_MS = 1_000;

/** Starts the jobs that wait in the channel queues. Queues take turns, within the limits of all channels together. */
export class AttemptStarter implements QueueListener {
  readonly #deps: AttemptStarterDeps;
  /** Queues that may have something to start; the next one in turn comes first. */
  readonly #ready = new Set<ChannelQueue>();
  readonly #underWay = new Set<Promise<void>>();
  /** Number of requests under way to receivers that may not answer. */
  #suspects = 0;
  #isStopped = false;
  #isStartQueued = false;
  #timer: { readonly atMs: number; readonly handle: NodeJS.Timeout } | undefined;

  constructor(deps: AttemptStarterDeps) {
    this.#deps = deps;
    deps.queues.listen(this);
    deps.recorder.listen((finished, states) => this.#onRecorded(finished, states));
  }

  onReady(queue: ChannelQueue): void {
    this.#ready.add(queue);
    this.#startReady();
  }

  onUrgent(queue: ChannelQueue, job: DeliveryJob): void {
    queue.start([job], this.#deps.now());
    this.#begin(queue, [job]);
  }

  /** Starts nothing more. */
  close(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer?.handle);
  }

  /** Resolves when all requests under way have ended. */
  async drain(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Starts the jobs that may start now, and schedules the next look for the rest. */
  #startReady(): void {
    const { queues, now, owns } = this.#deps;
    if (this.#isStartQueued) return;
    let soonestMs = Infinity;
    let begun = 0;
    for (const queue of this.#ready) {
      if (this.#isSaturated) return;
      if (begun === STARTS_PER_TURN) return this.#startNextTurn();
      // Lost, perhaps in a standstill: another replica sends these by now.
      if (queue.queued > 0 && !owns(queue.channel.id)) {
        soonestMs = Math.min(soonestMs, LOST_LOOK_MS);
        continue;
      }
      if (queue.isSuspect(now()) && this.#suspects >= this.#deps.options.concurrency / 2) continue;
      const next = queue.channel.fault === undefined ? queue.next(now(), queues.mayClaim(queue)) : undefined;
      if (typeof next === 'number') {
        soonestMs = Math.min(soonestMs, next);
        continue;
      }
      this.#ready.delete(queue);
      if (next === undefined) continue;
      // Goes behind the others, because queues take turns.
      this.#ready.add(queue);
      this.#begin(queue, next);
      begun += 1;
    }
    if (soonestMs !== Infinity) this.#startAt(now() + soonestMs);
  }

  #onRecorded(finished: readonly FinishedAttempt[], states: ReadonlyMap<string, ChannelState>): void {
    const { queues, wake, now } = this.#deps;
    for (const state of states.values()) queues.update(state);
    queues.forget(finished.map(({ job }) => job));
    // What is behind it in a strict order may go now.
    for (const { job } of finished) {
      const queue = job.orderingKey === undefined ? undefined : queues.find(job.channelId);
      if (queue !== undefined) queues.noteMore(queue);
    }
    const isHungry = finished.some(({ job }) => queues.find(job.channelId)?.needsRefill(now()));
    if (states.size > 0 || isHungry) wake.notify();
    this.#startReady();
  }

  get #isSaturated(): boolean {
    const { recorder, options } = this.#deps;
    return this.#isStopped || this.#underWay.size >= options.concurrency || recorder.isFull;
  }

  #startNextTurn(): void {
    this.#isStartQueued = true;
    setImmediate(() => {
      this.#isStartQueued = false;
      this.#startReady();
    });
  }

  #startAt(atMs: number): void {
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    clearTimeout(this.#timer?.handle);
    const handle = setTimeout(
      () => {
        this.#timer = undefined;
        this.#startReady();
      },
      Math.max(1, atMs - this.#deps.now()),
    );
    this.#timer = { atMs, handle };
  }

  #begin(queue: ChannelQueue, jobs: readonly DeliveryJob[]): void {
    const isSuspect = queue.isSuspect(this.#deps.now());
    if (isSuspect) this.#suspects += 1;
    const work = this.#run(queue, jobs, queue.isClean).finally(() => {
      if (isSuspect) this.#suspects -= 1;
      this.#underWay.delete(work);
      this.onReady(queue);
      if (queue.needsRefill(this.#deps.now())) this.#deps.wake.notify();
    });
    this.#underWay.add(work);
  }

  async #run(queue: ChannelQueue, jobs: readonly DeliveryJob[], wasClean: boolean): Promise<void> {
    const { queues, recorder, now, onAttempt } = this.#deps;
    const attempts = await attemptDeliveries(this.#deps, queue.channel, jobs);
    const first = attempts[0]!;
    const isFailure = first.errorCode !== undefined;
    const saysNothing = jobs[0]!.isTest || (isFailure && isUncounted(first));
    queue.end(jobs, saysNothing ? undefined : isFailure, now());
    const askedMs = first.errorCode === 'rate_limited' ? (first.retryAfterMs ?? PAUSE_MS) : first.pauseMs;
    const pauseMs = askedMs && Math.min(askedMs, WAIT_MS_MAX);
    if (pauseMs !== undefined) queues.pause(queue.channel, now() + pauseMs);
    onAttempt?.(first, jobs);
    // The slot is free already. The attempt is recorded meanwhile, and nobody takes the row until that is written.
    const isChannelClean = wasClean && queue.isClean;
    for (const [index, job] of jobs.entries())
      recorder.add({ job, attempt: attempts[index]!, isChannelClean });
  }
}

/** Sends the jobs in one request: one attempt for each of them. Never rejects. */
async function attemptDeliveries(
  { trace = withoutSpan, logger, senders, names, options }: Sending,
  channel: Channel,
  jobs: readonly DeliveryJob[],
): Promise<Attempt[]> {
  const [first] = jobs;
  try {
    return await trace(
      {
        traceparent: first!.traceparent,
        others: jobs.slice(1).flatMap(({ traceparent }) => traceparent ?? []),
        eventType: first!.eventType,
        channelId: channel.id,
        channelKind: channel.kind?.kind,
      },
      (traceparent) =>
        send({ senders, names }, channel, { jobs, traceparent, timeoutMs: options.attemptTimeoutMs }),
    );
  } catch (error) {
    logger.error(
      { channel_id: channel.id, delivery_id: first!.id, err: error },
      'failed to make delivery attempt',
    );
    return jobs.map(() => failedByUs());
  }
}

async function send(
  { senders, names }: Pick<Sending, 'senders' | 'names'>,
  { id: channelId, kind, target, shape, fault }: Channel,
  {
    jobs,
    traceparent,
    timeoutMs,
  }: { jobs: readonly DeliveryJob[]; traceparent: string | undefined; timeoutMs: number },
): Promise<Attempt[]> {
  if (kind === undefined || target === undefined) throw new Error(fault);
  const attemptId = randomUUID();
  const payloads = jobs.map(({ payload }) => shapePayload(payload, shape));
  const [first, ...others] = jobs;
  const known = kind.isVerbatim ? undefined : await names.read(payloads);
  const message = await senders.get(kind.kind)!.send({
    ...rehearse(first!, target),
    timeoutMs,
    channelId,
    attemptId,
    event: first!,
    others,
    body: kind.render(payloads, known),
    contentType: shape?.format === 'cloudevents' ? 'application/cloudevents+json' : 'application/json',
    traceparent,
  });
  return payloads.map((payload, index) => ({
    id: index === 0 ? attemptId : randomUUID(),
    ...message,
    // The event shows what was sent as it is.
    ...(shape !== undefined && { request: { ...message.request, body: payload.slice(0, BODY_LENGTH_MAX) } }),
    ...(index > 0 && { isShared: true }),
  }));
}

function failedByUs(): Attempt {
  const request: RecordedRequest = { method: 'POST', url: '', headers: {} };
  const nothing = {
    statusCode: undefined,
    responseHeaders: undefined,
    responseBody: undefined,
    retryAfterMs: undefined,
  };
  return {
    id: randomUUID(),
    startedAt: new Date(),
    durationMs: 0,
    errorCode: 'internal_error',
    request,
    ...nothing,
  };
}

const withoutSpan: Required<DeliveryDependencies>['trace'] = ({ traceparent }, work) => work(traceparent);
