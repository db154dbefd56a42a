// SPDX-License-Identifier: Apache-2.0
import { type Logger, withSpan } from '@chainwatch/platform/telemetry';
import {
  ChainNotConfiguredError,
  type ActiveChain,
  type FailoverClient,
  type OpenChain,
  type Upgrade,
  type ChainClient,
  type NodeUpgrade,
} from '@chainwatch/chain-core';
import { type ShareWork, ShareLostError } from '@chainwatch/data/ownership';
import { ChainRunner } from './chain-runner.ts';
import type { ChainReport } from './chain-report.ts';
import type { FeedStore, BlockPublisher } from './feed-store.ts';
import { recordRepair } from './ingestor-metrics.ts';
import { createPgFeedStore } from './pg-feed-store.ts';
import type { IngestorOptions } from './ingestor-options.ts';
import { startBeating } from './start-beating.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bus } from '@chainwatch/data/bus';
import type { PayloadOf } from '@chainwatch/events';
import type { FeedBatch, FeedEntry } from './feed.ts';

export interface ChainContext extends Omit<IngestorOptions, 'log'> {
  readonly log: Logger;
  readonly openChain: OpenChain;
  /** The calendar of a chain. */
  readonly upgradesOf: (chainGid: string) => readonly Upgrade[];
  /** The runners under way by chain gid, to reach them from outside. */
  readonly runners: Map<string, ChainRunner>;
}

/** A chain that is ours. */
export interface ChainWork extends Pick<ShareWork<ActiveChain>, 'share' | 'item' | 'signal' | 'reportReach'> {
  /** To be kept current. */
  readonly report: ChainReport;
}

const FLUSH_MS = 1_000;

/** Follows one chain with its current endpoints, or reports why it cannot, until the signal aborts. */
export async function runChain(context: ChainContext, work: ChainWork): Promise<void> {
  const { db } = context;
  const { share, item: row, report } = work;
  const client = await connect(context, row);
  const owned = {
    db,
    chainGid: row.gid,
    share,
    nodeHeadNumber: () => report.nodeHeadNumber,
    blockTime: () => report.blockTime,
    listNodes: () => (client instanceof ChainNotConfiguredError ? [] : client.clients),
  };
  const stopBeating = startBeating(owned);
  try {
    await followChain(context, work, { client, store: createPgFeedStore(owned) });
  } finally {
    stopBeating();
  }
}

interface Connected {
  readonly client: FailoverClient | ChainNotConfiguredError;
  readonly store: FeedStore;
}

async function followChain(
  context: ChainContext,
  work: ChainWork,
  { client, store }: Connected,
): Promise<void> {
  const { bus, log, runners, startBlocks } = context;
  const { item: row } = work;
  const chainGid = row.gid;
  if (client instanceof ChainNotConfiguredError) {
    log.error({ err: client }, 'failed to follow chain');
    await idleChain({ ...work, store, fault: client });
    return;
  }
  const publisher = createBusBlockPublisher({ bus, chainGid, log });
  const runner = new ChainRunner({
    ...work,
    client,
    store,
    publisher,
    log,
    startBlock: row.startBlock ?? startBlocks?.[chainGid],
    trace: traceBatch(chainGid),
    onRepair: (repair) => recordRepair(chainGid, repair),
  });
  runners.set(chainGid, runner);
  const ended = new AbortController();
  const watched = watchUpgrades({
    // A local chain has no calendar.
    ...{ client: client.network.isLocal === true ? {} : client, log, report: work.report },
    upgrades: context.upgradesOf(chainGid),
    signal: AbortSignal.any([work.signal, ended.signal]),
  });
  try {
    await runner.run();
  } finally {
    runners.delete(chainGid);
    ended.abort();
    await watched;
    await flush(publisher);
  }
}

/** A client over all endpoints, or the reason why there is none. */
async function connect(
  { openChain }: ChainContext,
  row: ActiveChain,
): Promise<FailoverClient | ChainNotConfiguredError> {
  try {
    return (await openChain(row)).client;
  } catch (error) {
    if (error instanceof ChainNotConfiguredError) return error;
    throw error;
  }
}

/** A silent bus does not delay the end: the feed is committed. */
async function flush(publisher: BusBlockPublisher): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FLUSH_MS);
  });
  await Promise.race([publisher.flush(), timeout]);
  clearTimeout(timer);
}

interface Idle {
  readonly store: Pick<FeedStore, 'setStatus'>;
  readonly report: ChainReport;
  /** Why the chain cannot be followed, told as its status. */
  readonly fault: ChainNotConfiguredError;
  readonly signal: AbortSignal;
}

/** Holds a chain that cannot be followed as things stand, until something changes. */
async function idleChain({ store, report, fault, signal }: Idle): Promise<'stopped' | 'fenced'> {
  Object.assign(report, { status: 'stalled', reason: fault.message });
  for (let isTold = false; !signal.aborted; ) {
    try {
      if (!isTold) await store.setStatus('stalled', fault.publicMessage);
      isTold = true;
    } catch (error) {
      if (error instanceof ShareLostError) return 'fenced';
    }
    await delay(1_000, undefined, { signal }).catch(() => undefined);
  }
  return 'stopped';
}

const DAY_MS = 86_400_000;

interface WatchOptions {
  readonly client: Pick<ChainClient, 'findNewUpgrades'>;
  /** The calendar of the chain. */
  readonly upgrades: readonly Upgrade[];
  readonly report: ChainReport;
  readonly log: Pick<Logger, 'warn'>;
  readonly signal: AbortSignal;
  readonly intervalMs?: number;
}

/**
 * Compares the calendar with what the chain's nodes tell, at the start and once a day, until the signal aborts. A node that
 * cannot tell is silent. What the node says warns: it changes no block.
 */
export async function watchUpgrades(options: WatchOptions): Promise<void> {
  const { client, upgrades, report, log, signal, intervalMs = DAY_MS } = options;
  const told = new Set<string>();
  while (!signal.aborted) {
    const found = await askNode(client, upgrades, signal);
    if (found !== undefined) report.newUpgrades = found;
    for (const { name, isActive, at } of found ?? []) {
      if (told.has(name)) continue;
      told.add(name);
      log.warn({ upgrade: name, is_active: isActive, at }, 'an upgrade outside the calendar was found');
    }
    await delay(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function askNode(
  client: WatchOptions['client'],
  upgrades: readonly Upgrade[],
  signal: AbortSignal,
): Promise<readonly NodeUpgrade[] | undefined> {
  try {
    return await client.findNewUpgrades?.(upgrades, signal);
  } catch {
    return undefined;
  }
}

interface BusBlockPublisher extends BlockPublisher {
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
function createBusBlockPublisher({ bus, chainGid, log }: PublisherOptions): BusBlockPublisher {
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
function traceBatch(chainGid: string): (batch: FeedBatch, commit: Commit) => Promise<void> {
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
