import { setTimeout as delay } from 'node:timers/promises';
import {
  BusUnavailableError,
  type Bus,
  type BusMessage,
  type ConsumeOptions,
  type PublishOptions,
} from '@chainwatch/bus';
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
  /** False makes every publish reject and every consumer wait, as a server that is away does. */
  isUp: boolean;
  /** Forgets messages and durables, and tells the owners of streams. */
  wipe(): void;
}

interface Durable {
  readonly seen: Set<number>;
}

interface Handler {
  readonly kinds: ReadonlySet<SubjectKind>;
  readonly options: ConsumeOptions;
  readonly handle: (message: BusMessage<SubjectKind>) => Promise<void>;
  readonly stopped: AbortSignal;
}

const RETRY_MS = 5;
const IDLE_MS = 2;

/** A bus in memory with the promises of the real one: ids dropped twice, durables shared, order at concurrency 1, payloads checked. */
export function createFakeBroker(): FakeBroker {
  let messages: FakeMessage[] = [];
  let sequence = 0;
  let createdAt = new Date().toISOString();
  const durables = new Map<string, Durable>();
  const subscribers = new Set<(message: FakeMessage) => void>();
  const recreated = new Set<(firstWord: string) => void>();

  function publish(
    kind: SubjectKind,
    tokens: readonly string[],
    payload: unknown,
    options: PublishOptions,
  ): void {
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

  function take({ kinds, options }: Handler): FakeMessage | undefined {
    const durable = durables.get(options.durable) ?? { seen: new Set<number>() };
    durables.set(options.durable, durable);
    const message = broker.isUp
      ? messages.find(
          (entry) =>
            kinds.has(entry.kind) && hasTokens(entry, options.tokens) && !durable.seen.has(entry.sequence),
        )
      : undefined;
    if (message !== undefined) durable.seen.add(message.sequence);
    return message;
  }

  async function work(handler: Handler): Promise<void> {
    while (!handler.stopped.aborted) {
      const message = take(handler);
      if (message === undefined) await delay(IDLE_MS);
      else await handle(handler, message);
    }
  }

  /** In place at every concurrency: a fake that waits for its turn again would only be slower. */
  async function handle({ handle: run, stopped, options }: Handler, message: FakeMessage): Promise<void> {
    for (let count = 1; ; count += 1) {
      try {
        return await run(toBusMessage(message, count));
      } catch {
        if (stopped.aborted) return void durables.get(options.durable)?.seen.delete(message.sequence);
        await delay(RETRY_MS);
      }
    }
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
      durables.clear();
      createdAt = new Date(Date.parse(createdAt) + 1).toISOString();
      for (const firstWord of new Set((Object.keys(SUBJECTS) as SubjectKind[]).map(streamOf)))
        for (const listener of recreated) listener(firstWord);
    },
    connect<S extends FlowService>(): Bus<S> {
      const stops = new Set<() => Promise<void>>();
      return {
        publish: async (kind, tokens, payload, options) => publish(kind, tokens, payload, options),
        hint(kind, tokens, payload, options) {
          if (broker.isUp) publish(kind, tokens, payload, options);
        },
        async consume(kinds, options, handler) {
          const stopping = new AbortController();
          const consumer: Handler = {
            kinds: new Set<SubjectKind>(kinds),
            options,
            handle: handler as Handler['handle'],
            stopped: stopping.signal,
          };
          const workers = Array.from({ length: options.concurrency ?? 1 }, () => work(consumer));
          const stop = async (): Promise<void> => {
            stopping.abort();
            await Promise.all(workers);
          };
          stops.add(stop);
          return stop;
        },
        subscribe(kind, tokens, handler) {
          const subscriber = (message: FakeMessage): void => {
            if (message.kind === kind && hasTokens(message, tokens))
              (handler as (message: BusMessage<SubjectKind>) => void)(toBusMessage(message, 1));
          };
          subscribers.add(subscriber);
          return () => subscribers.delete(subscriber);
        },
        get isConnected() {
          return broker.isUp;
        },
        onStreamsRecreated(listener) {
          recreated.add(listener);
          return () => recreated.delete(listener);
        },
        streamIncarnation: () => createdAt,
        close: async () => void (await Promise.all([...stops].map((stop) => stop()))),
      };
    },
  };
  return broker;
}

function hasTokens(message: FakeMessage, tokens: readonly string[] = []): boolean {
  return tokens.every((token, index) => token === '*' || token === message.tokens[index]);
}

function toBusMessage(
  { kind, tokens, payload, options }: FakeMessage,
  deliveryCount: number,
): BusMessage<SubjectKind> {
  return {
    kind,
    subject: subjectOf(kind, tokens),
    tokens,
    payload: structuredClone(payload) as PayloadOf<SubjectKind>,
    messageId: options.messageId,
    traceparent: options.traceparent,
    deliveryCount,
  };
}
