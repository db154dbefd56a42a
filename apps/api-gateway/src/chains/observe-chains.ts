// SPDX-License-Identifier: Apache-2.0
import type { Sql } from '@chainwatch/data/db';
import { createStallRecorder, describeChain, gauge, type Checks } from '@chainwatch/platform/telemetry';
import { readActiveChainRecords } from './read-chain-record.ts';

interface ObserveChainsOptions {
  readonly db: Sql;
  /** Default 5,000. */
  readonly everyMs?: number;
}

interface ChainObserver {
  /** The state of every active chain, for /readyz. No chain makes the gateway unready. */
  checks(): Checks;
  stop(): void;
}

const EVERY_MS = 5_000;

const active = gauge('chainwatch_active_chains', {
  description: 'Chains that are to be followed, by family: what the database says.',
});

/**
 * Reports the state of the active chains, as their services wrote it, in /readyz and in a metric. The services report
 * themselves too; this covers the case that all replicas of one are gone, and nobody else can say that a chain has no
 * owner.
 */
export function observeChains({ db, everyMs = EVERY_MS }: ObserveChainsOptions): ChainObserver {
  const recordStalls = createStallRecorder();
  const families = new Set<string>();
  let chains: { readonly gid: string; readonly status: string; readonly reason?: string | undefined }[] = [];
  const look = async (): Promise<void> => {
    try {
      const records = await readActiveChainRecords(db);
      for (const { family } of records) families.add(family);
      for (const family of families)
        active.set(records.filter((record) => record.family === family).length, { family });
      chains = records.map(({ gid, sync }) => ({
        gid,
        status: sync?.status ?? 'unknown',
        reason: sync?.reason ?? undefined,
      }));
    } catch {
      chains = chains.map(({ gid }) => ({ gid, status: 'unknown', reason: 'the database did not answer' }));
    }
    recordStalls(
      new Map(chains.map(({ gid, status }) => [gid, status === 'stalled' || status === 'unknown'])),
    );
  };
  void look();
  const timer = setInterval(() => void look(), everyMs);
  return {
    checks: () =>
      Object.fromEntries(
        chains.map(({ gid, status, reason }) => [`chain ${gid}`, describeChain({ status, reason })]),
      ),
    stop: () => clearInterval(timer),
  };
}
