// SPDX-License-Identifier: Apache-2.0
/** Events of one project from chainwatch's own NATS (docs/guides/nats-subscribers.md). It alone needs `@nats-io/jetstream`. */
import {
  AckPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import type { ChainwatchEvent } from '../event-types.ts';

export interface SubscribeOptions {
  /** Connected as the account of the project, by any transport of nats.js. */
  readonly connection: Parameters<typeof jetstream>[0];
  /** The project, by its id. */
  readonly project: string;
  /** Names your application: each of its processes takes its part of the events. */
  readonly durable: string;
  /** The effect. An event may come again: store `event_id` with it. When it throws, the event comes again. */
  readonly handle: (event: ChainwatchEvent) => unknown;
  /** Told of what `handle` threw. */
  readonly onError?: (error: unknown) => void;
  /** Ends the subscription when the event under way is done. */
  readonly signal?: AbortSignal;
  /** In the account of the project; made with 14 days of events where it is missing. Default `EVENTS`. */
  readonly stream?: string;
}

const NANOSECONDS = 1_000_000;
const DAY_MS = 86_400_000;
/** Without a sign of life for so long, an event goes to another process. */
const ACK_WAIT_MS = 30_000;
const SIGN_OF_LIFE_MS = 10_000;
const REPEAT_MS = 5_000;

/**
 * Takes the events of a project one by one, and acknowledges each when its effect has happened.
 *
 * @example
 * await subscribe({ connection, project, durable: 'billing', handle: (event) => storeOnce(event), signal });
 */
export async function subscribe(options: SubscribeOptions): Promise<void> {
  const { connection, project, durable, signal, stream = 'EVENTS' } = options;
  if (!/^[-0-9a-zA-Z]+$/.test(project)) throw new TypeError(`expected the id of a project, got ${project}`);
  const manager = await jetstreamManager(connection);
  await ensureStream(manager, stream);
  await manager.consumers.add(stream, {
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
    ack_wait: ACK_WAIT_MS * NANOSECONDS,
  });
  const consumer = await jetstream(connection).consumers.get(stream, durable);
  const messages = await consumer.consume({ max_messages: 10 });
  const stop = (): void => messages.stop();
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  try {
    for await (const message of messages) {
      await take(message, options);
      if (signal?.aborted) break;
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    messages.stop();
  }
}

async function ensureStream(manager: JetStreamManager, name: string): Promise<void> {
  try {
    await manager.streams.info(name);
  } catch (error) {
    const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
    if (!isMissing) throw error;
    await manager.streams.add({
      name,
      subjects: ['tx.>', 'balance.>'],
      max_age: 14 * DAY_MS * NANOSECONDS,
    });
  }
}

async function take(message: JsMsg, { project, handle, onError }: SubscribeOptions): Promise<void> {
  // tx.<what>.<chain>.<project> and balance.changed.<chain>.<project>. Servers before 2.10 know no consumer with two
  // filters; in an account of its own, a project sees no others.
  if (!message.subject.endsWith(`.${project}`)) return message.ack();
  const timer = setInterval(() => message.working(), SIGN_OF_LIFE_MS);
  try {
    await handle(message.json<ChainwatchEvent>());
    // Confirmed by the server: what it did not hear of would come again.
    await message.ackAck();
  } catch (error) {
    onError?.(error);
    message.nak(REPEAT_MS);
  } finally {
    clearInterval(timer);
  }
}
