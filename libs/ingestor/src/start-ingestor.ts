import type { Bus } from '@chainwatch/bus';
import {
  createChainOpener,
  missingFamily,
  type ChainFamily,
  type ChainFamilyName,
  type ChainOpenerOptions,
} from '@chainwatch/chain-core';
import type { Database } from '@chainwatch/db';
import type { ChainReport } from './chain-report.ts';
import type { ChainRunner } from './chain-runner.ts';
import { ChainSeat } from './chain-seat.ts';
import { ChainSupervisor } from './chain-supervisor.ts';
import type { IngestorLog } from './ingestor-log.ts';
import { recordReports } from './ingestor-metrics.ts';
import { runChain } from './run-chain.ts';

export interface IngestorOptions extends Omit<ChainOpenerOptions, 'findFamily'> {
  readonly familyName: ChainFamilyName;
  /** Undefined: this build has no code for the family, and its chains say so. */
  readonly family: ChainFamily | undefined;
  readonly db: Database;
  readonly bus: Pick<
    Bus<'block-ingestor'>,
    'publish' | 'hint' | 'subscribe' | 'leases' | 'onStreamsRecreated'
  >;
  readonly log: IngestorLog & { child(fields: object): IngestorLog };
  /** Names this replica. */
  readonly owner: string;
  /** First block to follow by chain gid; default the head at the first activation. */
  readonly startBlocks?: Readonly<Record<string, number>>;
}

export interface IngestorReadiness {
  /** Why no chain can be followed at all; undefined when that works. */
  readonly reason?: string;
  /** What an operator should know although it is no fault. */
  readonly note?: string;
  readonly chains: readonly ChainReport[];
}

export interface Ingestor {
  /** Stops following, waits for what is under way, frees the leases. */
  stop(): Promise<void>;
  readiness(): IngestorReadiness;
}

/** Entries published again when the bus lost its streams. */
const REPUBLISHED = 1_000;
const REPORT_MS = 1_000;

/** Follows every active chain of a family that no other replica follows. */
export function startIngestor(options: IngestorOptions): Ingestor {
  const { familyName, family, db, bus, log, owner } = options;
  if (family === undefined) log.warn({ family: familyName }, missingFamily(familyName));
  const openChain = createChainOpener({ ...options, findFamily: () => Promise.resolve(family) });
  const runners = new Map<string, ChainRunner>();
  const supervisor = new ChainSupervisor({
    familyName,
    db,
    log,
    createSeat: (chainGid, readRow) => {
      const chainLog = log.child({ chain_gid: chainGid });
      return new ChainSeat({
        chainGid,
        db,
        owner,
        leases: bus.leases,
        log: chainLog,
        runChain: (work) => runChain({ ...options, log: chainLog, row: readRow(), openChain, runners }, work),
      });
    },
  });
  const unsubscribe = bus.subscribe('chain.changed', [], () => supervisor.readNow());
  const unlisten = bus.onStreamsRecreated((firstWord) => {
    if (firstWord !== 'block') return;
    for (const runner of runners.values())
      void runner
        .republish(REPUBLISHED)
        .catch((error: unknown) => log.warn({ err: error }, 'block.new could not be published again'));
  });
  const reporting = setInterval(() => recordReports(supervisor.reports), REPORT_MS);

  return {
    async stop() {
      clearInterval(reporting);
      unsubscribe();
      unlisten();
      await supervisor.stop();
    },
    readiness: () => ({
      reason: supervisor.lastError,
      note: family === undefined ? missingFamily(familyName) : undefined,
      chains: supervisor.reports,
    }),
  };
}
