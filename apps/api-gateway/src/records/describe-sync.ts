// SPDX-License-Identifier: Apache-2.0
/** The last report of one service about a chain. */
export interface ServiceReport {
  readonly service: 'block-ingestor' | 'tx-analyzer' | 'balance-service';
  readonly status: string;
  readonly reason: string | null;
  readonly updatedAt: Date;
}

interface SyncFacts {
  /** Reports of every service that works on the chain, upstream first. */
  readonly reports: readonly ServiceReport[];
  /** Earlier reports do not count. */
  readonly activatedAt: Date;
  readonly now: Date;
  /** Open incidents of the chain. */
  readonly incidentCount?: number;
}

export interface SyncStatus {
  readonly status: string;
  readonly reason: string | null;
  /** Every service has reported at this time or later. */
  readonly updatedAt: Date;
}

/** Owners write their rows at least every 10 s. */
const SILENCE_MS_MAX = 30_000;
/** The worst status comes first (decisions.md §13). */
const PRECEDENCE = ['stalled', 'recovering', 'degraded', 'catching_up', 'starting', 'following'];

/**
 * Combines the services' statuses into one; `unknown` as soon as one service is silent, whatever it reported before.
 */
export function describeSync({ reports, activatedAt, now, incidentCount = 0 }: SyncFacts): SyncStatus {
  const heard = reports.map((report) => ({
    ...report,
    updatedAt: report.updatedAt > activatedAt ? report.updatedAt : activatedAt,
  }));
  const oldest = heard.reduce((one, other) => (other.updatedAt < one.updatedAt ? other : one));
  const { updatedAt } = oldest;
  if (now.getTime() - updatedAt.getTime() > SILENCE_MS_MAX) {
    return {
      status: 'unknown',
      reason: `the ${oldest.service} has not reported since ${updatedAt.toISOString()}`,
      updatedAt,
    };
  }
  const said: Pick<ServiceReport, 'status' | 'reason'>[] =
    incidentCount > 0
      ? [...heard, { status: 'degraded', reason: `open incidents: ${incidentCount}` }]
      : heard;
  const worst = said.reduce((one, other) =>
    PRECEDENCE.indexOf(other.status) < PRECEDENCE.indexOf(one.status) ? other : one,
  );
  return { status: worst.status, reason: worst.reason, updatedAt };
}
