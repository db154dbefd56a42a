// SPDX-License-Identifier: Apache-2.0
import {
  createChainOpener,
  isSameChain,
  mergeCalendars,
  missingFamily,
  type ActiveChain,
  type Upgrade,
  timeOfUpgrade,
} from '@chainwatch/chain-core';
import { readActiveChains } from '@chainwatch/data/db';
import { ShareSupervisor } from '@chainwatch/data/ownership';
import { createChainReport, type ChainReport } from './chain-report.ts';
import type { ChainRunner } from './chain-runner.ts';
import type { IngestorOptions } from './ingestor-options.ts';
import { recordReports } from './ingestor-metrics.ts';
import { runChain } from './run-chain.ts';
import { gauge } from '@chainwatch/platform/telemetry';

export interface IngestorReadiness {
  /** Why no chain can be followed at all; undefined when chains can be followed. */
  readonly reason?: string;
  /** What an operator should know although it is no fault. */
  readonly note?: string;
  readonly chains: readonly ChainReport[];
}

export interface Ingestor {
  /** Stops following, waits for what is under way, gives the chains back. */
  stop(): Promise<void>;
  readiness(): IngestorReadiness;
}

/** Entries published again when the bus lost its streams. */
const REPUBLISHED = 1_000;

/** Follows its part of the active chains of a family. */
export function startIngestor(options: IngestorOptions): Ingestor {
  const { familyName, family, db, bus, log } = options;
  if (family === undefined) log.warn({ family: familyName }, missingFamily(familyName));
  const openChain = createChainOpener({ ...options, findFamily: () => Promise.resolve(family) });
  const upgradesOf = openCalendar(options);
  const runners = new Map<string, ChainRunner>();
  /** Reports of the chains that this replica owns. */
  const current = new Map<string, ChainReport>();
  const chains = new ShareSupervisor<ActiveChain>({
    db,
    kind: `ingestor.${familyName}`,
    logger: log,
    listShares: () => readActiveChains(db, familyName),
    isSame: isSameChain,
    work: async (work) => {
      const { gid } = work.item;
      const report = { ...createChainReport(gid), status: 'starting' as const, reason: undefined };
      current.set(gid, report);
      const context = { ...options, log: log.child({ chain_gid: gid }), openChain, runners, upgradesOf };
      await runChain(context, { ...work, report }).finally(() => current.delete(gid));
    },
    onLook: () => {
      recordReports(reports());
      recordUpgrades([...current.keys()].flatMap(upgradesOf));
    },
  });
  const reportOf = (gid: string): ChainReport => {
    const state = chains.stateOf(gid);
    const report = state.type === 'owned' ? current.get(gid) : undefined;
    if (report !== undefined) return report;
    if (state.type === 'unknown') return { ...createChainReport(gid), reason: state.reason };
    return {
      ...createChainReport(gid),
      status: state.type === 'owned' ? 'starting' : 'standby',
      reason: undefined,
    };
  };
  const reports = (): ChainReport[] => [...chains.shares.keys()].map(reportOf);
  const unsubscribe = bus.subscribe('chain.changed', [], () => chains.lookNow());
  const unlisten = bus.onStreamsRecreated((firstWord) => {
    if (firstWord !== 'block') return;
    for (const runner of runners.values())
      void runner
        .republish(REPUBLISHED)
        .catch((error: unknown) => log.warn({ err: error }, 'failed to republish block.new'));
  });

  return {
    async stop() {
      unsubscribe();
      unlisten();
      await chains.stop();
    },
    readiness: () => ({
      reason:
        chains.lastError === undefined ? undefined : `the chains could not be read: ${chains.lastError}`,
      note: family === undefined ? missingFamily(familyName) : undefined,
      chains: reports(),
    }),
  };
}

/** The calendar of each chain; empty for a chain that this build does not know. */
function openCalendar({ family, upgrades }: IngestorOptions): (chainGid: string) => readonly Upgrade[] {
  const calendar = family && mergeCalendars(family, upgrades);
  return (chainGid) => {
    const names = family?.catalogue.calendarNamesOf(chainGid) ?? [];
    return calendar?.upgrades.filter(({ network }) => names.includes(network)) ?? [];
  };
}

const AHEAD_MS = 90 * 86_400_000;

const seconds = gauge('chainwatch_upgrade_seconds', {
  description:
    'Time since an upgrade of a network took effect, negative before: those of the next 90 days, and past ones that are not supported.',
});
type Labels = Readonly<Record<'network' | 'name' | 'state', string>>;
let told = new Map<string, Labels>();

/** @param upgrades those of the chains that this replica owns; what was told before and is not among them is forgotten */
export function recordUpgrades(upgrades: readonly Upgrade[], nowMs = Date.now()): void {
  const now = new Map<string, Labels>();
  for (const row of upgrades) {
    const atMs = timeOfUpgrade(row);
    if (atMs === undefined || atMs - nowMs > AHEAD_MS || (atMs <= nowMs && row.state !== 'not')) continue;
    const { network, name, state } = row;
    now.set(`${network} ${name}`, { network, name, state });
    seconds.set((nowMs - atMs) / 1_000, { network, name, state });
  }
  for (const [key, labels] of told) if (!now.has(key)) seconds.forget(labels);
  told = now;
}
