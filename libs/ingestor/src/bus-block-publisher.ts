// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@chainwatch/bus';
import type { PayloadOf } from '@chainwatch/events';
import { withSpan, type Logger } from '@chainwatch/telemetry';
import type { FeedBatch, FeedEntry } from './feed.ts';
import type { BlockPublisher } from './feed-store.ts';

export interface BusBlockPublisher extends BlockPublisher {
  /** Resolves when everything under way was stored or given up. */
  flush(): Promise<void>;
}

interface PublisherOptions {
  readonly bus: Pick<Bus<'block-ingestor'>, 'publish'>;
  readonly chainGid: string;
  readonly log: Logger;
}

/** Above this, messages are left out: a bus that slow saves no time, and the analyzer reads the feed anyway. */
const UNDER_WAY_MAX = 5_000;
const SPAN_NAMES = { block: 'block.ingest', reorg: 'block.orphan', finalize: 'block.finalize' } as const;

/** Publishes `block.new` without waiting: messages go out in call order, and the id makes repeats harmless. */
export function createBusBlockPublisher({ bus, chainGid, log }: PublisherOptions): BusBlockPublisher {
  const underWay = new Set<Promise<void>>();
  let failures = 0;

  async function publishOne(entry: FeedEntry): Promise<void> {
    try {
      await bus.publish('block.new', {
        tokens: [chainGid],
        payload: toPayload(chainGid, entry),
        messageId: `${chainGid}:${entry.seq}`,
        traceparent: entry.traceparent,
      });
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 1) log.warn({ err: error, seq: entry.seq }, 'failed to publish block.new');
    }
  }

  return {
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

type Commit = (batch: FeedBatch) => Promise<void>;

/**
 * A span per entry: it begins the trace that continues in the analyzer and ends at the webhook. Its context travels
 * in chain_feed.traceparent and in the message's headers (W3C Trace Context). At the head the span lasts as long as
 * the commit. In a catch-up one commit holds many blocks, and each gets a span that only marks its beginning.
 */
export function traceBatch(chainGid: string): (batch: FeedBatch, commit: Commit) => Promise<void> {
  return async (batch, commit) => {
    const [entry, ...others] = batch.entries;
    if (entry !== undefined && others.length === 0 && entry.type === 'block') {
      return withSpan(
        SPAN_NAMES.block,
        { kind: 'producer', attributes: attributesOf(chainGid, entry) },
        ({ traceparent }) => commit({ ...batch, entries: [{ ...entry, traceparent }] }),
      );
    }
    await commit({
      ...batch,
      entries: await Promise.all(batch.entries.map((each) => markEntry(chainGid, each))),
    });
  };
}

async function markEntry(chainGid: string, entry: FeedEntry): Promise<FeedEntry> {
  return withSpan(
    SPAN_NAMES[entry.type],
    { kind: 'producer', attributes: attributesOf(chainGid, entry) },
    ({ traceparent }) => ({ ...entry, traceparent }),
  );
}

function attributesOf(chainGid: string, { number, hash, seq }: FeedEntry): Record<string, string | number> {
  return {
    ...{ chain_gid: chainGid, 'block.number': number, 'block.hash': hash, 'feed.seq': seq },
    ...{ 'messaging.system': 'nats', 'messaging.operation.type': 'send' },
    'messaging.destination.name': 'block.new',
  };
}
