// SPDX-License-Identifier: Apache-2.0
import type { FlowService, ConsumedBy, ProducedBy, PayloadOf, SubjectKind } from '@chainwatch/events';

/** What of a message stands in its headers. */
export const SEQUENCE_HEADER = 'sequence';
export const TYPE_HEADER = 'type';

/**
 * A service's view of the bus: its row of the flow table. Publishing what belongs to another service is a type
 * error.
 */
export interface Bus<S extends FlowService> {
  /**
   * Publishes to the JetStream stream of the subject's first word, and resolves when the server has stored it.
   * `tokens` complete the subject: `publish('tx.detected', { tokens: ['eip155:1', projectId], … })`. The payload is validated in
   * tests and trusted in production. Rejects with `BusUnavailableError` (retryable) when the server does not answer in 5 s.
   */
  publish<K extends ProducedBy<S>>(kind: K, message: OutgoingMessage<PayloadOf<K>>): Promise<void>;
  /**
   * An ordered JetStream consumer over kinds of one stream, from now on: every message once, in stream order. It
   * notices gaps, resumes after the last message when the connection breaks, and is created again when the
   * consumer, stream or store is lost; `onOpen` is called after each creation. Returns at once and keeps trying
   * while NATS is away.
   */
  consume<K extends ConsumedBy<S>>(
    kinds: readonly [K, ...K[]],
    tokens: readonly string[],
    handlers: ConsumeHandlers<K>,
  ): () => Promise<void>;
  /** A plain subscription to every message from now on, for hints that each replica wants: no ack, no history. */
  subscribe<K extends ConsumedBy<S>>(
    kind: K,
    tokens: readonly string[],
    handler: (message: BusMessage<K>) => void,
  ): () => void;
  readonly isConnected: boolean;
  /**
   * Called each time the server comes back with empty streams, so that owners publish again what may be lost. Also
   * called soon after the registration for streams that this process had to create at its start.
   */
  onStreamsRecreated(listener: (firstWord: string) => void): () => void;
  /** The last known state of the stream named by this first word. */
  streamState(firstWord: string): StreamState;
  /** Asks the server for the current state. Creates the stream when it is missing. */
  readStream(firstWord: string): Promise<StreamState>;
  close(): Promise<void>;
}

export interface PublishOptions {
  /** `Nats-Msg-Id`, from content: the server drops a second message with the same id within 2 minutes. */
  readonly messageId: string;
  /** W3C trace context, travels in the headers. */
  readonly traceparent?: string;
  /**
   * An event's number within its project and chain. It travels in the headers, so that a gap is seen without
   * parsing the payload.
   */
  readonly sequence?: number;
  /** An event's type. It travels in the headers as well: events of several types share a subject. */
  readonly type?: string;
  /** The payload as JSON text, where the caller has it already. */
  readonly json?: string;
}

export interface OutgoingMessage<P> extends PublishOptions {
  /** The subject's words after the kind. */
  readonly tokens: readonly string[];
  readonly payload: P;
}

export interface ConsumeHandlers<K extends SubjectKind> {
  readonly onMessage: (message: BusMessage<K>) => void;
  /**
   * The consumer was created (again) and delivers everything published from now on. A database read that starts now
   * leaves no gap before its first message.
   */
  readonly onOpen: () => void;
  /** For whom a message is a bell: the server sends subjects and headers, and no payload, which is not to be looked at. */
  readonly isBell?: boolean;
}

export interface StreamState {
  /** Identifies this creation of the stream: a different value means that the server lost it. */
  readonly incarnation: string;
  /** Sequence of the last stored message. */
  readonly lastSeq: number;
}

export interface BusMessage<K extends SubjectKind> {
  readonly kind: K;
  readonly subject: string;
  /** The subject's words after the kind: `['eip155:1', projectId]`. */
  readonly tokens: readonly string[];
  readonly payload: PayloadOf<K>;
  readonly messageId?: string;
  readonly traceparent?: string;
  /** An event's number within its project and chain. */
  readonly sequence?: number;
  /** An event's type; undefined from a publisher of a release that did not tell it. */
  readonly type?: string;
}
