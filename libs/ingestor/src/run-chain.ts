import {
  ChainNotConfiguredError,
  type ActiveChain,
  type ChainClient,
  type OpenChain,
} from '@chainwatch/chain-core';
import { createBusBlockPublisher, type BusBlockPublisher } from './bus-block-publisher.ts';
import { ChainRunner } from './chain-runner.ts';
import type { ChainWork } from './chain-seat.ts';
import { idleChain } from './idle-chain.ts';
import type { IngestorLog } from './ingestor-log.ts';
import { recordRepair } from './ingestor-metrics.ts';
import { createPgFeedStore } from './pg-feed-store.ts';
import type { IngestorOptions } from './start-ingestor.ts';
import { traceBatch } from './trace-batch.ts';

export interface ChainContext extends Omit<IngestorOptions, 'log'> {
  readonly log: IngestorLog;
  readonly row: ActiveChain;
  readonly openChain: OpenChain;
  /** The runners under way by chain gid, to reach them from outside. */
  readonly runners: Map<string, ChainRunner>;
}

const FLUSH_MS = 1_000;

/** Follows one chain with the endpoints it has now, or says why it cannot, until the signal aborts. */
export async function runChain(context: ChainContext, work: ChainWork): Promise<'stopped' | 'fenced'> {
  const { db, bus, log, row, runners, startBlocks } = context;
  const chainGid = row.gid;
  const store = createPgFeedStore({
    db,
    chainGid,
    token: work.token,
    nodeHeadNumber: () => work.report.nodeHeadNumber,
  });
  const connected = await connect(context);
  if (connected instanceof ChainNotConfiguredError) {
    log.error({ err: connected }, 'the chain cannot be followed');
    return idleChain({ ...work, store, fault: connected });
  }
  const publisher = createBusBlockPublisher({ bus, chainGid, log });
  const runner = new ChainRunner({
    ...work,
    client: connected,
    store,
    publisher,
    log,
    startBlock: row.startBlock ?? startBlocks?.[chainGid],
    trace: traceBatch(chainGid),
    onRepair: (repair) => recordRepair(chainGid, repair),
  });
  runners.set(chainGid, runner);
  try {
    return await runner.run();
  } finally {
    runners.delete(chainGid);
    await flush(publisher);
  }
}

/** A client over all endpoints, or the reason why there is none. */
async function connect({ openChain, row }: ChainContext): Promise<ChainClient | ChainNotConfiguredError> {
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
