import { setTimeout as delay } from 'node:timers/promises';
import {
  AckPolicy,
  DeliverPolicy,
  type Consumer,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { SubjectKind } from '@chainwatch/events';
import { describeError } from './bus-logger.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { drainMessages } from './drain-messages.ts';
import { createHeldMessages } from './held-messages.ts';
import { handleMessage, type MessageHandlerOptions, type Outcome } from './message-handler.ts';
import type { Slots } from './slots.ts';
import type { StreamSet } from './stream-set.ts';

const RETRY_MAX_MS = 2_000;
const HEARTBEAT_MS = 2_000;
/** What the consumer says when it or its stream is gone. */
const GONE = new Set(['consumer_not_found', 'stream_not_found', 'consumer_deleted', 'no_responders']);

export interface ConsumeStreamOptions<K extends SubjectKind> extends MessageHandlerOptions<K> {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly streams: StreamSet;
  readonly connection: ConnectionWatch;
  readonly durable: string;
  readonly ackWaitMs: number;
  readonly concurrency: number;
  /** Handlers under way, shared by the streams of one consume(). */
  readonly slots: Slots;
  /** Called after each attempt to open the consumer. */
  readonly onAttempt: () => void;
}

/** Pulls from one stream until stopped, and makes consumer and stream again when the server forgot them. */
export async function consumeStream<K extends SubjectKind>(options: ConsumeStreamOptions<K>): Promise<void> {
  const { stopped, filter, durable, logger } = options;
  for (let failures = 0; !stopped.aborted; ) {
    try {
      const consumer = await ensureConsumer(options);
      failures = 0;
      options.onAttempt();
      if (stopped.aborted) return;
      await pull(options, consumer);
    } catch (error) {
      failures += 1;
      options.onAttempt();
      if (!stopped.aborted)
        logger.warn(
          { stream: filter.stream, durable, error: describeError(error) },
          'a consumer could not be opened, it is tried again',
        );
    }
    await delay(Math.min(50 * 2 ** Math.min(failures, 10), RETRY_MAX_MS), undefined, {
      signal: stopped,
    }).catch(() => undefined);
  }
}

async function ensureConsumer<K extends SubjectKind>({
  client,
  manager,
  streams,
  filter,
  durable,
  ackWaitMs,
  concurrency,
}: ConsumeStreamOptions<K>): Promise<Consumer> {
  await streams.ensure();
  await manager.consumers.add(filter.stream, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    filter_subject: filter.subject,
    ack_wait: nanos(ackWaitMs),
    max_ack_pending: concurrency * 4,
    max_deliver: -1,
  });
  return client.consumers.get(filter.stream, durable);
}

async function pull<K extends SubjectKind>(
  options: ConsumeStreamOptions<K>,
  consumer: Consumer,
): Promise<void> {
  const { stopped, streams, filter } = options;
  const incarnation = streams.incarnation(filter.stream);
  const held = createHeldMessages(options.ackWaitMs);
  const underWay = new Set<Promise<void>>();
  const messages = await consumer.consume({
    max_messages: options.concurrency * 4,
    expires: 5 * HEARTBEAT_MS,
    idle_heartbeat: HEARTBEAT_MS,
    callback: (message) => {
      if (stopped.aborted) return message.nak();
      if (!held.add(message)) return;
      const generation = options.connection.generation;
      const work = options.slots
        .run(() => handleMessage(options, message))
        .then((outcome) => settle(options, message, outcome, generation, incarnation))
        .finally(() => {
          held.delete(message);
          underWay.delete(work);
        });
      underWay.add(work);
    },
  });
  const stopListening = streams.onRecreated((stream) => stream === filter.stream && void messages.close());
  const stop = (): void => void drainMessages(messages);
  stopped.addEventListener('abort', stop, { once: true });
  if (stopped.aborted) stop();
  void closeWhenGone(messages);
  try {
    await messages.closed();
  } finally {
    stopListening();
    stopped.removeEventListener('abort', stop);
    // Ordered handlers of the old consumer finish before the new one delivers.
    await Promise.all(underWay);
    held.close();
  }
}

async function closeWhenGone(messages: ConsumerMessages): Promise<void> {
  for await (const notification of messages.status()) {
    if (GONE.has(notification.type)) void messages.close();
  }
}

/**
 * Acknowledgements name the message by its sequence in the stream. A wiped server counts from 1 again, so one that was
 * meant for the old stream would swallow a message of the new one: after a cut, the stream is looked at first.
 */
async function settle<K extends SubjectKind>(
  options: ConsumeStreamOptions<K>,
  message: JsMsg,
  outcome: Outcome,
  generation: number,
  incarnation: string | undefined,
): Promise<void> {
  if (options.connection.generation !== generation || !options.connection.isConnected) {
    if (!(await isSameStream(options, incarnation))) return;
  }
  if (outcome.type === 'ack') message.ack();
  else if (outcome.type === 'term') message.term();
  else message.nak(outcome.delayMs);
}

async function isSameStream<K extends SubjectKind>(
  { streams, connection, filter }: ConsumeStreamOptions<K>,
  incarnation: string | undefined,
): Promise<boolean> {
  if (!connection.isConnected) return false; // not acknowledged: it comes again
  try {
    await streams.ensure();
    return streams.incarnation(filter.stream) === incarnation;
  } catch {
    return false;
  }
}
