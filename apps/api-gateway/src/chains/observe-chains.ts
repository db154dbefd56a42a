import type { Sql } from '@chainwatch/db';
import { createStallRecorder, describeChain, type Checks } from '@chainwatch/telemetry';
import { readActiveChainRecords } from './read-chain-record.ts';

interface ObserveChainsOptions {
  readonly db: Sql;
  /** Default 5,000. */
  readonly everyMs?: number;
}

interface ChainObserver {
  /** Every active chain, for /readyz: none of them makes the gateway unready. */
  checks(): Checks;
  stop(): void;
}

const EVERY_MS = 5_000;

/**
 * How the active chains do, as their services report it, in /readyz and in the metric. Services tell of themselves as
 * well; this is for the day when all replicas of one are gone, and nobody is left to say that a chain has no owner.
 */
export function observeChains({ db, everyMs = EVERY_MS }: ObserveChainsOptions): ChainObserver {
  const recordStalls = createStallRecorder();
  let chains: { readonly gid: string; readonly status: string; readonly reason?: string | undefined }[] = [];
  const look = async (): Promise<void> => {
    try {
      const records = await readActiveChainRecords(db);
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
