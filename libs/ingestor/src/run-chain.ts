// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/telemetry';
import {
  ChainNotConfiguredError,
  type ActiveChain,
  type FailoverClient,
  type OpenChain,
  type Upgrade,
} from '@chainwatch/chain-core';
import type { ShareWork } from '@chainwatch/ownership';
import { createBusBlockPublisher, traceBatch, type BusBlockPublisher } from './bus-block-publisher.ts';
import { ChainRunner } from './chain-runner.ts';
import type { ChainReport } from './chain-report.ts';
import { idleChain } from './idle-chain.ts';
import type { FeedStore } from './feed-store.ts';
import { recordRepair } from './ingestor-metrics.ts';
import { createPgFeedStore } from './pg-feed-store.ts';
import type { IngestorOptions } from './ingestor-options.ts';
import { startBeating } from './start-beating.ts';
import { watchUpgrades } from './watch-upgrades.ts';

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
