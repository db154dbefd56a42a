// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Consumer, ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';
import { SUBJECTS, type PayloadOf, type SubjectKind } from '@chainwatch/events';
import { SEQUENCE_HEADER, TYPE_HEADER } from './bus.ts';
import type { BusMessage, ConsumeHandlers } from './bus.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import type { ConsumerFilter } from './consumer-filter.ts';
import type { StreamSet } from './stream-set.ts';

export interface OrderedConsumerDeps {
  readonly client: JetStreamClient;
  readonly streams: StreamSet;
  readonly connection: ConnectionWatch;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Prefix of the consumer names, as the server's monitoring shows them. */
  readonly owner: string;
}

export interface OrderedConsumerOptions<K extends SubjectKind> extends ConsumeHandlers<K> {
  readonly filter: ConsumerFilter;
  readonly kinds: ReadonlySet<K>;
}

const HEARTBEAT_MS = 2_000;
const EXPIRES_MS = 10_000;
/** Messages in flight between server and process. */
const MESSAGES_MAX = 1_000;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 2_000;
const STOP_MS = 2_000;
/** The server's notices that this consumer delivers nothing more. The client repairs gaps by itself. */
const ENDED = new Set(['heartbeats_missed', 'consumer_deleted', 'stream_not_found', 'no_responders']);

/**
 * Follows one subject of one stream from now on, in order, until stopped. When the consumer, stream or server is
 * lost, it resumes after its last message, or from the end if the stream is a different one now; `onOpen` then
 * reads the missed part from where it is stored.
 */
export class OrderedConsumer<K extends SubjectKind> {
  readonly #deps: OrderedConsumerDeps;
  readonly #options: OrderedConsumerOptions<K>;
  readonly #stop = new AbortController();
  readonly #namePrefix: string;
  readonly #done: Promise<void>;
  #nextSeq: number | undefined;
  #incarnation: string | undefined;
  #messages: ConsumerMessages | undefined;

  constructor(deps: OrderedConsumerDeps, options: OrderedConsumerOptions<K>) {
    this.#deps = deps;
    this.#options = options;
    const words = [deps.owner, options.filter.subject, randomUUID().slice(0, 8)];
    this.#namePrefix = words.join('-').replace(/[^\w-]+/g, '_');
    this.#done = this.#follow();
  }

  /** Resolves when no message will come any more and the server has been told. */
  async stop(): Promise<void> {
    this.#stop.abort();
    void this.#messages?.close();
    // A silent server does not delay our end.
    await Promise.race([this.#done, delay(STOP_MS, undefined, { ref: false })]);
  }

  async #follow(): Promise<void> {
    const { connection, streams, logger } = this.#deps;
    const { stream, subject } = this.#options.filter;
    const reopen = (): void => void this.#messages?.close();
    const stopListening = [
      connection.onReconnect(reopen),
      streams.onRecreated((name) => name === stream && reopen()),
    ];
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        await this.#consumeOnce();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (connection.isConnected && !this.#stop.signal.aborted)
          logger.warn({ stream, subject, err: error }, 'failed to open consumer, will retry');
      }
      await this.#pause(Math.min(RETRY_MS_MIN * 2 ** failures, RETRY_MS_MAX));
    }
    for (const stop of stopListening) stop();
  }

  /** Opens a consumer and returns when it has ended. */
  async #consumeOnce(): Promise<void> {
    const { client } = this.#deps;
    const { filter, onOpen, isBell } = this.#options;
    const from = await this.#findStart();
    // Never with the policy "new": before its first message, such a consumer would be recreated from the
    // stream's beginning.
    const consumer = await client.consumers.get(filter.stream, {
      name_prefix: this.#namePrefix,
      filter_subjects: filter.subject,
      opt_start_seq: from,
      headers_only: isBell === true,
    });
    try {
      if (this.#stop.signal.aborted) return;
      this.#messages = await consumer.consume({
        max_messages: MESSAGES_MAX,
        expires: EXPIRES_MS,
        idle_heartbeat: HEARTBEAT_MS,
        callback: (message) => this.#take(message),
      });
      void this.#watch(this.#messages);
      // The consumer exists: a database read from now on and its messages leave no gap between them.
      this.#run(onOpen);
      if (this.#stop.signal.aborted) void this.#messages.close();
      await this.#messages.closed();
    } finally {
      this.#messages = undefined;
      const forgotten = this.#forget(consumer);
      if (this.#stop.signal.aborted) await forgotten;
    }
  }

  /** The sequence after the last message, as long as the stream is still the one that delivered it. */
  async #findStart(): Promise<number> {
    const { streams, logger } = this.#deps;
    const { stream, subject } = this.#options.filter;
    const nextSeq = this.#nextSeq;
    const { incarnation, lastSeq } = await streams.read(stream);
    if (nextSeq === undefined || this.#incarnation !== incarnation || nextSeq > lastSeq + 1) {
      if (nextSeq !== undefined)
        logger.warn(
          { stream, subject, expected_seq: nextSeq, last_seq: lastSeq },
          'the stream was replaced: missed messages were read from the database',
        );
      this.#nextSeq = lastSeq + 1;
      this.#incarnation = incarnation;
      return lastSeq + 1;
    }
    return nextSeq;
  }

  #take(message: JsMsg): void {
    // A message of a closed consumer: the next consumer delivers it again.
    if (this.#stop.signal.aborted || message.seq < this.#nextSeq!) return;
    this.#nextSeq = message.seq + 1;
    const kind = kindOf(message.subject);
    const { kinds, onMessage } = this.#options;
    if (kind === undefined || !(kinds as ReadonlySet<SubjectKind>).has(kind)) return;
    this.#run(() => onMessage(parseMessage(kind, message) as BusMessage<K>), message.subject);
  }

  async #watch(messages: ConsumerMessages): Promise<void> {
    const { logger } = this.#deps;
    const { stream, subject } = this.#options.filter;
    for await (const { type } of messages.status()) {
      if (ENDED.has(type)) {
        if (!this.#stop.signal.aborted)
          logger.warn({ stream, subject, reason: type }, 'a consumer ended, retrying');
        void messages.close();
      } else if (type === 'reset') {
        logger.warn({ stream, subject }, 'messages were missing, retrying');
      } else if (type === 'ordered_consumer_recreated') this.#run(this.#options.onOpen);
    }
  }

  #run(handler: () => void, subject = this.#options.filter.subject): void {
    try {
      handler();
    } catch (err) {
      this.#deps.logger.error({ subject, err }, 'a message was not handled');
    }
  }

  /** The server would keep it for five more minutes. */
  async #forget(consumer: Consumer): Promise<void> {
    if (this.#deps.connection.isConnected) await consumer.delete().catch(() => undefined);
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

/** The kind that a subject's first two words name; undefined for one this version does not know. */
export function kindOf(subject: string): SubjectKind | undefined {
  const kind = subject.split('.', 2).join('.');
  return kind in SUBJECTS ? (kind as SubjectKind) : undefined;
}

interface Received {
  readonly subject: string;
  readonly headers?: MsgHdrs | undefined;
  json<T>(): T;
}

/** The payload is parsed when it is looked at, and throws then: subject and headers often say enough. */
export function parseMessage<K extends SubjectKind>(kind: K, message: Received): BusMessage<K> {
  const { subject, headers } = message;
  const sequence = Number(headers?.get(SEQUENCE_HEADER) || Number.NaN);
  return {
    kind,
    subject,
    tokens: subject.split('.').slice(2),
    messageId: headers?.get('Nats-Msg-Id') || undefined,
    traceparent: headers?.get('traceparent') || undefined,
    sequence: Number.isSafeInteger(sequence) ? sequence : undefined,
    type: headers?.get(TYPE_HEADER) || undefined,
    get payload() {
      return message.json<PayloadOf<K>>();
    },
  };
}
