// SPDX-License-Identifier: Apache-2.0
import { describeChain, notOk, ok, probe, type Checks } from '@chainwatch/telemetry';
import type { NodeUpgrade } from '@chainwatch/chain-core';
import type { Bus } from '@chainwatch/bus';
import type { Database } from '@chainwatch/db';
import type { Ingestor } from './start-ingestor.ts';

const describeUpgrade = ({ name, isActive, at }: NodeUpgrade): string =>
  [name, isActive ? 'active' : 'planned', at].filter(Boolean).join(', ');

interface Checked {
  readonly db: Pick<Database, 'query'>;
  readonly bus: Pick<Bus<'block-ingestor'>, 'isConnected'>;
  readonly ingestor: Pick<Ingestor, 'readiness'>;
}

/** For /readyz. */
export async function checkIngestor({ db, bus, ingestor }: Checked): Promise<Checks> {
  const { reason, note, chains } = ingestor.readiness();
  return {
    postgres: await probe(() => db.query('SELECT 1')),
    nats: bus.isConnected ? ok : notOk('not connected'),
    chains: reason === undefined ? { ...ok, ...{ note } } : notOk(reason),
    ...Object.fromEntries(
      chains.map(({ chainGid, status, reason: why, head, blockTime, newUpgrades }) => [
        `chain ${chainGid}`,
        describeChain({
          status,
          reason: why,
          head_number: head?.number,
          block_time_ms: blockTime?.measuredMs && Math.round(blockTime.measuredMs),
          configured_block_time_ms: blockTime?.configuredMs,
          unknown_upgrades: newUpgrades?.length ? newUpgrades.map(describeUpgrade) : undefined,
        }),
      ]),
    ),
  };
}
