import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { SubjectKind } from '@chainwatch/events';
import type { BusMessage, ConsumeOptions } from './bus.ts';
import type { BusLogger } from './bus-logger.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { consumeStream } from './consume-stream.ts';
import { filtersOf } from './consumer-filter.ts';
import { createSlots } from './slots.ts';
import type { StreamSet } from './stream-set.ts';

interface ConsumersOptions {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly streams: StreamSet;
  readonly connection: ConnectionWatch;
  readonly logger: BusLogger;
}

export interface Consumers {
  consume<K extends SubjectKind>(
    kinds: readonly K[],
    options: ConsumeOptions,
    handler: (message: BusMessage<K>) => Promise<void>,
  ): Promise<() => Promise<void>>;
  /** Stops all of them and waits for their handlers. */
  stop(): Promise<void>;
}

export function createConsumers(shared: ConsumersOptions): Consumers {
  const stops = new Set<() => Promise<void>>();
  return {
    async consume(kinds, options, handler) {
      const { concurrency = 1, ackWaitMs = 30_000 } = options;
      const stopping = new AbortController();
      const slots = createSlots(concurrency);
      const durable = durableName(options.durable);
      const consumer = {
        ...shared,
        handler,
        durable,
        ackWaitMs,
        concurrency,
        slots,
        isOrdered: concurrency === 1,
        stopped: stopping.signal,
      };
      const loops: Promise<void>[] = [];
      const attempts = filtersOf(kinds, options.tokens).map(
        (filter) =>
          new Promise<void>((onAttempt) => loops.push(consumeStream({ ...consumer, filter, onAttempt }))),
      );
      const stop = async (): Promise<void> => {
        stopping.abort();
        await Promise.all(loops);
        stops.delete(stop);
      };
      stops.add(stop);
      // Opened, or failed once and tried again from now on.
      await Promise.all(attempts);
      return stop;
    },
    async stop() {
      await Promise.all([...stops].map((stop) => stop()));
    },
  };
}

/** The server refuses dots, wildcards, slashes and spaces in the name of a consumer. */
function durableName(name: string): string {
  return name.replace(/[.*>\\/\s]/g, '_');
}
