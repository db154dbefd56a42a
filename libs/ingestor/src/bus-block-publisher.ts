import type { Logger } from '@chainwatch/telemetry';
import type { Bus } from '@chainwatch/bus';
import type { PayloadOf } from '@chainwatch/events';
import type { BlockPublisher } from './block-publisher.ts';
import type { FeedEntry } from './feed.ts';

export interface BusBlockPublisher extends BlockPublisher {
  /** Resolves when everything under way was stored or given up. */
  flush(): Promise<void>;
}

interface PublisherOptions {
  readonly bus: Pick<Bus<'block-ingestor'>, 'publish' | 'hint'>;
  readonly chainGid: string;
  readonly log: Logger;
}

/** Above this, messages are left out: a bus that slow saves no time, and the analyzer reads the feed anyway. */
const UNDER_WAY_MAX = 5_000;

/** Publishes `block.new` without waiting: messages go out in call order, and the id makes repeats harmless. */
export function createBusBlockPublisher({ bus, chainGid, log }: PublisherOptions): BusBlockPublisher {
  const underWay = new Set<Promise<void>>();
  let failures = 0;

  async function publishOne(entry: FeedEntry): Promise<void> {
    try {
      await bus.publish('block.new', [chainGid], toPayload(chainGid, entry), {
        messageId: `${chainGid}:${entry.seq}`,
        traceparent: entry.traceparent,
      });
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1)
        log.warn(
          { err: error, seq: entry.seq },
          'block.new could not be published: the feed alone told of it',
        );
    }
  }

  return {
    hint({ number, hash, parentHash, traceparent }) {
      const payload = { schema: 1 as const, chain_gid: chainGid, number, hash, parent_hash: parentHash };
      bus.hint('block.seen', [chainGid], payload, {
        messageId: `${chainGid}:seen:${hash}`,
        traceparent,
      });
    },
    publish(entries) {
      for (const entry of entries) {
        if (underWay.size >= UNDER_WAY_MAX) return;
        const publication = publishOne(entry).finally(() => underWay.delete(publication));
        underWay.add(publication);
      }
    },
    async flush() {
      await Promise.all(underWay);
    },
  };
}

function toPayload(chainGid: string, entry: FeedEntry): PayloadOf<'block.new'> {
  return {
    schema: 1,
    seq: entry.seq,
    type: entry.type,
    chain_gid: chainGid,
    number: entry.number,
    hash: entry.hash,
    parent_hash: entry.parentHash,
    timestamp: entry.timestamp,
  };
}
