import { createFailoverClient, type ChainClient, type ChainFamilyName } from '@chainwatch/chain-core';
import { createBusBlockPublisher, type BusBlockPublisher } from './bus-block-publisher.ts';
import { ChainRunner } from './chain-runner.ts';
import type { ChainRow } from './chain-row.ts';
import type { ChainWork } from './chain-seat.ts';
import { idleChain } from './idle-chain.ts';
import type { IngestorLog } from './ingestor-log.ts';
import { recordRepair } from './ingestor-metrics.ts';
import { listEndpoints } from './list-endpoints.ts';
import { createPgFeedStore } from './pg-feed-store.ts';
import type { IngestorOptions } from './start-ingestor.ts';
import { traceBatch } from './trace-batch.ts';

export interface ChainContext extends Omit<IngestorOptions, 'log'> {
  readonly log: IngestorLog;
  readonly row: ChainRow;
  /** The runners under way by chain gid, to reach them from outside. */
  readonly runners: Map<string, ChainRunner>;
}

const FLUSH_MS = 1_000;

/** Follows one chain with the endpoints it has now, or says why it cannot, until the signal aborts. */
export async function runChain(context: ChainContext, work: ChainWork): Promise<'stopped' | 'fenced'> {
  const { db, bus, log, row, runners, startBlocks } = context;
  const chainGid = row.gid;
  const store = createPgFeedStore({ db, chainGid, token: work.token });
  const connected = connect(context);
  if (typeof connected === 'string') {
    log.error({ reason: connected }, 'the chain cannot be followed');
    return idleChain({ ...work, store, reason: connected });
  }
  const publisher = createBusBlockPublisher({ bus, chainGid, log });
  const runner = new ChainRunner({
    ...work,
    client: connected,
    store,
    publisher,
    log,
    startBlock: startBlocks?.[chainGid],
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

export function missingFamily(familyName: ChainFamilyName): string {
  return `chain family ${familyName} is not configured in this build`;
}

/** A client over all endpoints, or the reason why there is none. */
function connect({ familyName, family, row, opener, endpoints, dial }: ChainContext): ChainClient | string {
  if (family === undefined) return missingFamily(familyName);
  const network = family.networks.find(({ gid }) => gid === row.gid);
  if (network === undefined) return `${row.gid} is not in the catalogue of this build`;
  try {
    const urls = listEndpoints(row, opener, endpoints?.[row.gid]);
    if (urls.length === 0) return 'no endpoint is configured';
    return createFailoverClient(urls.map((endpointUrl) => family.createClient({ network, endpointUrl, dial })));
  } catch (error) {
    return `the endpoint cannot be used: ${error instanceof Error ? error.message : String(error)}`;
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
