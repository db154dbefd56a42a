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
   * An ordered JetStream consumer over kinds of one stream, from now on: every message once, in the order of the stream.
   * Gaps are noticed, after a cut it goes on behind the last message, and where consumer, stream or store are gone it is
   * made again; `onOpen` is called whenever it was made. Returns at once, and goes on trying while NATS is away.
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
   * Called each time the server comes (back) with empty streams, so that owners publish again what may be lost; also
   * soon after the registration for streams that this process had to make at its start.
   */
  onStreamsRecreated(listener: (firstWord: string) => void): () => void;
  /** How the stream of a first word stands, as far as this process knows. */
  streamState(firstWord: string): StreamState;
  /** The same, as the server says it now. Makes the stream when it is missing. */
  readStream(firstWord: string): Promise<StreamState>;
  close(): Promise<void>;
}

export interface PublishOptions {
  /** `Nats-Msg-Id`, from content: the server drops a second message with the same id within 2 minutes. */
  readonly messageId: string;
  /** W3C trace context, travels in the headers. */
  readonly traceparent?: string;
  /** Of an event, within its project and chain: travels in the headers, so that a gap is seen without reading the payload. */
  readonly sequence?: number;
  /** The payload as text, where it stands written already. */
  readonly json?: string;
}

export interface ConsumeHandlers<K extends SubjectKind> {
  readonly onMessage: (message: BusMessage<K>) => void;
  /**
   * The consumer was made (again): all that is published from now on comes through it. What is read in the database now
   * and what comes leave nothing out between them.
   */
  readonly onOpen: () => void;
}

export interface StreamState {
  /** Names the making of the stream: another one means that the server lost it. */
  readonly incarnation: string;
  /** Of the last message stored. */
  readonly lastSeq: number;
}

export interface BusMessage<K extends SubjectKind> {
  readonly kind: K;
  readonly subject: string;
  /** The subject's words behind the kind: `['eip155:1', projectId]`. */
  readonly tokens: readonly string[];
  readonly payload: PayloadOf<K>;
  readonly messageId?: string;
  readonly traceparent?: string;
  /** Of an event, within its project and chain. */
  readonly sequence?: number;
}
