import { notOk, ok, probe, type CheckResult, type Checks } from '@chainwatch/telemetry';
import type { Bus } from '@chainwatch/bus';
import type { Database } from '@chainwatch/db';
import type { ChainReport } from './chain-report.ts';
import type { Ingestor } from './start-ingestor.ts';

interface Checked {
  readonly db: Pick<Database, 'query'>;
  readonly bus: Pick<Bus<'block-ingestor'>, 'isConnected'>;
  readonly ingestor: Pick<Ingestor, 'readiness'>;
}

/**
 * For /readyz. A chain that has stalled is told with its reason but does not take the replica out: the other chains go
 * on, and another replica would not do better.
 */
export async function checkIngestor({ db, bus, ingestor }: Checked): Promise<Checks> {
  const { reason, note, chains } = ingestor.readiness();
  return {
    postgres: await probe(() => db.query('SELECT 1')),
    nats: bus.isConnected ? ok : notOk('not connected'),
    chains: reason === undefined ? tell({ note }) : notOk(reason),
    ...Object.fromEntries(chains.map((report) => [`chain ${report.chainGid}`, describeChain(report)])),
  };
}

function describeChain({ status, reason, head }: ChainReport): CheckResult {
  return tell({ status, reason, head_number: head?.number });
}

/** In order, with more to read in the answer's body. */
function tell(details: object): CheckResult {
  return { ...ok, ...details };
}
