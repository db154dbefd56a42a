import type { Bus } from '@chainwatch/bus';
import { createFailoverClient, type ChainFamily, type ChainFamilyName, type Dial } from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import { createBusBlockPublisher, type BusBlockPublisher } from './bus-block-publisher.ts';
import type { ChainReport } from './chain-report.ts';
import { ChainRunner } from './chain-runner.ts';
import type { ChainRow } from './chain-row.ts';
import { ChainSeat } from './chain-seat.ts';
import { ChainSupervisor } from './chain-supervisor.ts';
import { idleChain } from './idle-chain.ts';
import type { IngestorLog } from './ingestor-log.ts';
import { createIngestorMetrics } from './ingestor-metrics.ts';
import { listEndpoints, type Opener } from './list-endpoints.ts';
import { createPgFeedStore } from './pg-feed-store.ts';
import { traceBatch } from './trace-batch.ts';

export interface IngestorOptions {
  readonly familyName: ChainFamilyName;
  /** Undefined: this build has no code for the family, and its chains say so. */
  readonly family: ChainFamily | undefined;
  readonly db: Database;
  readonly bus: Pick<Bus<'block-ingestor'>, 'publish' | 'subscribe' | 'leases' | 'onStreamsRecreated' | 'isConnected'>;
  /** Of sealed endpoints. */
  readonly opener: Opener;
  readonly log: IngestorLog & { child(fields: object): IngestorLog };
  /** Names this replica. */
  readonly owner: string;
  readonly dial?: Dial;
  /** More endpoints by chain gid. */
  readonly endpoints?: Readonly<Record<string, readonly string[]>>;
  /** First block to follow by chain gid; default the head at the first activation. */
  readonly startBlocks?: Readonly<Record<string, number>>;
}

export interface IngestorReadiness {
  readonly isReady: boolean;
  /** Why not. */
  readonly reason?: string;
  readonly chains: readonly ChainReport[];
}

export interface Ingestor {
  /** Stops following, waits for what is under way, frees the leases. */
  stop(): Promise<void>;
  /** Ready means: the database answers. A stalled chain is told, but another replica would not do better. */
  readiness(): IngestorReadiness;
}

/** Entries published again when the bus lost its streams. */
const REPUBLISHED = 1_000;

/** Follows every active chain of a family that no other replica follows. */
export function startIngestor(options: IngestorOptions): Ingestor {
  const { familyName, family, db, bus, log, owner } = options;
  if (family === undefined) log.warn({ family: familyName }, missingFamily(familyName));
  const runners = new Map<string, ChainRunner>();
  const metrics = createIngestorMetrics(() => supervisor.reports);

  const createSeat = (chainGid: string, readRow: () => ChainRow): ChainSeat => {
    const chainLog = log.child({ chain_gid: chainGid });
    return new ChainSeat({
      chainGid,
      db,
      leases: bus.leases,
      owner,
      log: chainLog,
      runChain: async ({ token, report, signal }) => {
        const store = createPgFeedStore({ db, chainGid, token });
        const network = family?.networks.find(({ gid }) => gid === chainGid);
        if (family === undefined) return idleChain({ store, report, signal, reason: missingFamily(familyName) });
        if (network === undefined) return idleChain({ store, report, signal, reason: `${chainGid} is not in the catalogue of this build` });
        const endpoints = listEndpoints(readRow(), options.opener, options.endpoints?.[chainGid]);
        if (endpoints.length === 0) return idleChain({ store, report, signal, reason: 'no endpoint is configured' });
        const client = createFailoverClient(endpoints.map((endpointUrl) => family.createClient({ network, endpointUrl, dial: options.dial })));
        const publisher = createBusBlockPublisher({ bus, chainGid, log: chainLog });
        const onRepair = metrics.repairRecorder(chainGid);
        const startBlock = options.startBlocks?.[chainGid];
        const runner = new ChainRunner({ client, store, publisher, report, signal, startBlock, onRepair, log: chainLog, trace: traceBatch(chainGid) });
        runners.set(chainGid, runner);
        try {
          return await runner.run();
        } finally {
          runners.delete(chainGid);
          await flushPublisher(publisher);
        }
      },
    });
  };
  const supervisor = new ChainSupervisor({ familyName, db, log, createSeat });
  const unsubscribe = bus.subscribe('chain.changed', [], () => supervisor.readNow());
  const unlisten = bus.onStreamsRecreated((firstWord) => {
    if (firstWord !== 'block') return;
    for (const runner of runners.values()) void runner.republish(REPUBLISHED).catch((error: unknown) => log.warn({ err: error }, 'block.new could not be published again'));
  });

  return {
    async stop() {
      unsubscribe();
      unlisten();
      await supervisor.stop();
      metrics.stop();
    },
    readiness: () => ({
      isReady: supervisor.lastError === undefined,
      ...(supervisor.lastError !== undefined && { reason: supervisor.lastError }),
      chains: supervisor.reports,
    }),
  };
}

function missingFamily(familyName: ChainFamilyName): string {
  return `chain family ${familyName} is not configured in this build`;
}

/** A silent bus does not delay the end: the feed is committed. */
async function flushPublisher(publisher: BusBlockPublisher): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, 1_000).unref());
  await Promise.race([publisher.flush(), timeout]);
}
