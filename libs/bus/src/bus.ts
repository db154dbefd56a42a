import type { FlowService, ConsumedBy, ProducedBy, PayloadOf, SubjectKind } from '@chainwatch/events';

/** The row of the flow table that belongs to one service: publishing upstream is a type error. */
export interface Bus<S extends FlowService> {
  /**
   * Publishes to the JetStream stream of the subject's first word, and resolves when the server has stored it.
   * `tokens` complete the subject: `publish('tx.detected', ['eip155:1', projectId], …)`. The payload is validated in
   * tests and trusted in production. Rejects with `BusUnavailableError` (retryable) when the server does not answer in 5 s.
   */
  publish<K extends ProducedBy<S>>(
    kind: K,
    tokens: readonly string[],
    payload: PayloadOf<K>,
    options: PublishOptions,
  ): Promise<void>;
  /** Tells those who listen at this moment, and waits for nobody: for what is worth nothing a moment later. */
  hint<K extends ProducedBy<S>>(
    kind: K,
    tokens: readonly string[],
    payload: PayloadOf<K>,
    options: PublishOptions,
  ): void;
  /**
   * A durable pull consumer with explicit acknowledgement, shared by all replicas that name the same `durable`. The
   * handler's promise decides: resolved → ack, rejected → again with a growing delay (0.2 s … 30 s): in place where the
   * concurrency is 1, so that the order holds, otherwise by nak. A payload that is not JSON is dropped and logged. Streams and consumers that a wiped
   * server forgot are made again by themselves. Returns stop, which waits for handlers under way.
   */
  consume<K extends ConsumedBy<S>>(
    kinds: readonly K[],
    options: ConsumeOptions,
    handler: (message: BusMessage<K>) => Promise<void>,
  ): Promise<() => Promise<void>>;
  /** A plain subscription to every message from now on, for hints that each replica wants: no ack, no history. */
  subscribe<K extends ConsumedBy<S>>(
    kind: K,
    tokens: readonly string[],
    handler: (message: BusMessage<K>) => void,
  ): () => void;
  readonly isConnected: boolean;
  /**
   * Called each time the server comes (back) with empty streams, so that owners publish again what may be lost; also
   * soon after the registration for streams that this process had to make at its start.
   */
  onStreamsRecreated(listener: (firstWord: string) => void): () => void;
  /** Names the making of a first word's stream, as last seen: another one after a restart means that the server was wiped meanwhile. */
  streamIncarnation(firstWord: string): string | undefined;
  close(): Promise<void>;
}

export interface PublishOptions {
  /** `Nats-Msg-Id`, from content: the server drops a second message with the same id within 2 minutes. */
  readonly messageId: string;
  /** W3C trace context, travels in the headers. */
  readonly traceparent?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The payload as text, where it stands written already. */
  readonly json?: string;
}

export interface ConsumeOptions {
  readonly durable: string;
  /** Completes the subject filter; default every message of the kinds. */
  readonly tokens?: readonly string[];
  /** Handlers under way at once; 1 keeps the order. Default 1. */
  readonly concurrency?: number;
  /** Default 30,000: redelivered when not acknowledged by then. */
  readonly ackWaitMs?: number;
}

export interface BusMessage<K extends SubjectKind> {
  readonly kind: K;
  readonly subject: string;
  /** The subject's words behind the kind: `['eip155:1', projectId]`. */
  readonly tokens: readonly string[];
  readonly payload: PayloadOf<K>;
  readonly messageId?: string;
  readonly traceparent?: string;
  /** 1 for the first delivery. */
  readonly deliveryCount: number;
}
