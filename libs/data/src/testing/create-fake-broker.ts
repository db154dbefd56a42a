// SPDX-License-Identifier: Apache-2.0
import {
  BusUnavailableError,
  type Bus,
  type BusMessage,
  type ConsumeHandlers,
  type OutgoingMessage,
  type PublishOptions,
} from '../bus/index.ts';
import {
  streamOf,
  SUBJECTS,
  subjectOf,
  type FlowService,
  type PayloadOf,
  type SubjectKind,
} from '@chainwatch/events';

export interface FakeMessage {
  readonly sequence: number;
  readonly kind: SubjectKind;
  readonly tokens: readonly string[];
  readonly payload: unknown;
  readonly options: PublishOptions;
}

export interface FakeBroker {
  /** A service's end of it: any number of services and replicas share one broker. */
  connect<S extends FlowService>(service: S): Bus<S>;
  /** What was published and not dropped as a duplicate, in order. */
  readonly messages: readonly FakeMessage[];
  /** Payloads of one kind, in order. */
  payloads<K extends SubjectKind>(kind: K): PayloadOf<K>[];
  /** False makes every publish reject, as a server that is away does. */
  isUp: boolean;
  /** Forgets messages, makes consumers anew and tells the owners of streams. */
  wipe(): void;
}

type OnMessage = ConsumeHandlers<SubjectKind>['onMessage'];

/** A bus in memory with the promises of the real one: ids dropped twice, everything in order, payloads checked. */
export function createFakeBroker(): FakeBroker {
  let messages: FakeMessage[] = [];
  let sequence = 0;
  let incarnation = 1;
  const opened = new Set<() => void>();
  const subscribers = new Set<(message: FakeMessage) => void>();
  const recreated = new Set<(firstWord: string) => void>();

  function publish(kind: SubjectKind, { tokens, payload, ...options }: OutgoingMessage<unknown>): void {
    if (!broker.isUp) throw new BusUnavailableError('the fake broker is down');
    if (tokens.length !== SUBJECTS[kind].tokens.length)
      throw new TypeError(
        `expected ${SUBJECTS[kind].tokens.length} tokens for ${kind}, got ${tokens.length}`,
      );
    SUBJECTS[kind].payload.parse(payload);
    const isDuplicate = messages.some(
      (known) => known.options.messageId === options.messageId && streamOf(known.kind) === streamOf(kind),
    );
    if (isDuplicate) return;
    // As over the wire: nobody shares an object with the publisher.
    const message: FakeMessage = {
      sequence: (sequence += 1),
      kind,
      tokens: [...tokens],
      payload: JSON.parse(JSON.stringify(payload)),
      options,
    };
    messages.push(message);
    for (const subscriber of subscribers)
      queueMicrotask(() => subscribers.has(subscriber) && subscriber(message));
  }

  function listen(kind: SubjectKind, tokens: readonly string[], onMessage: OnMessage): () => void {
    const subscriber = (message: FakeMessage): void => {
      if (message.kind === kind && hasTokens(message, tokens)) onMessage(toBusMessage(message));
    };
    subscribers.add(subscriber);
    return () => subscribers.delete(subscriber);
  }

  const broker: FakeBroker = {
    isUp: true,
    get messages() {
      return messages;
    },
    payloads: <K extends SubjectKind>(kind: K) =>
      messages.filter((message) => message.kind === kind).map((message) => message.payload as PayloadOf<K>),
    wipe() {
      messages = [];
      sequence = 0;
      incarnation += 1;
      for (const firstWord of new Set((Object.keys(SUBJECTS) as SubjectKind[]).map(streamOf)))
        for (const listener of recreated) listener(firstWord);
      for (const onOpen of opened) onOpen();
    },
    connect<S extends FlowService>(): Bus<S> {
      return {
        publish: async (kind, message) => publish(kind, message),
        consume(kinds, tokens, { onMessage, onOpen }) {
          const stops = kinds.map((kind) => listen(kind, tokens, onMessage as OnMessage));
          const open = (): void => void (opened.has(open) && onOpen());
          opened.add(open);
          queueMicrotask(open);
          return async () => {
            opened.delete(open);
            for (const stop of stops) stop();
          };
        },
        subscribe: (kind, tokens, handler) => listen(kind, tokens, handler as OnMessage),
        get isConnected() {
          return broker.isUp;
        },
        onStreamsRecreated(listener) {
          recreated.add(listener);
          return () => recreated.delete(listener);
        },
        streamState: () => ({ incarnation: String(incarnation), lastSeq: sequence }),
        readStream: async () => ({ incarnation: String(incarnation), lastSeq: sequence }),
        close: async () => undefined,
      };
    },
  };
  return broker;
}

function hasTokens(message: FakeMessage, tokens: readonly string[] = []): boolean {
  return tokens.every((token, index) => token === '*' || token === message.tokens[index]);
}

function toBusMessage({ kind, tokens, payload, options }: FakeMessage): BusMessage<SubjectKind> {
  return {
    kind,
    subject: subjectOf(kind, tokens),
    tokens,
    payload: structuredClone(payload) as PayloadOf<SubjectKind>,
    messageId: options.messageId,
    traceparent: options.traceparent,
    sequence: options.sequence,
  };
}
