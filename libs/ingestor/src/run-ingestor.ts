// SPDX-License-Identifier: Apache-2.0
import { createBus, natsOptionsOf, type Bus } from '@chainwatch/data/bus';
import {
  calendarSchema,
  type ChainFamily,
  type ChainFamilyName,
  type NodeUpgrade,
} from '@chainwatch/chain-core';
import {
  loadConfig,
  healthAddressOf,
  DATABASE_VARIABLES,
  durationMs,
  json,
  jsonFile,
  NATS_VARIABLES,
  serviceConfig,
} from '@chainwatch/platform/config';
import { createDatabase, waitForSchema, type Database } from '@chainwatch/data/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import {
  runService,
  startTelemetry,
  describeChain,
  notOk,
  ok,
  probe,
  type Checks,
} from '@chainwatch/platform/telemetry';
import { z } from 'zod';
import { startIngestor, type Ingestor } from './start-ingestor.ts';

/** What a block-ingestor reads from the environment. */
const ingestorConfig = serviceConfig
  .pick({
    ...DATABASE_VARIABLES,
    ...NATS_VARIABLES,
    HEALTH_PORT: true,
    HOST: true,
    LOG_LEVEL: true,
    INSTANCE_ID: true,
    SECRETS_KEYS: true,
    OUTBOUND_ALLOW: true,
    CHAIN_ENDPOINTS: true,
  })
  .extend({
    /** One request to a node. */
    NODE_TIMEOUT: durationMs().default(10_000),
    /** A newer calendar of upgrades: it may warn, and changes no block. */
    UPGRADES_FILE: jsonFile(calendarSchema).optional(),
    /** First block to follow, by chain: `{"eip155:1": 20000000}`. Default: the chain head at the first activation. */
    START_BLOCK: json(z.record(z.string(), z.int().min(0))).default({}),
  });

/**
 * The process `block-ingestor-<family>`: configuration, adapters, start, stop.
 * @param findFamily undefined where this build has no code for the family
 */
export async function runIngestor(
  familyName: ChainFamilyName,
  findFamily: (name: ChainFamilyName) => Promise<ChainFamily | undefined>,
): Promise<void> {
  const name = `block-ingestor-${familyName}`;
  await runService({
    name,
    start: async (logger, signal) => {
      const config = loadConfig(ingestorConfig);
      const family = await findFamily(familyName);
      const { INSTANCE_ID: owner } = config;
      const telemetry = await startTelemetry({ serviceName: name, instanceId: owner });
      const db = createDatabase({
        url: config.DATABASE_URL,
        isPrepared: config.DB_PREPARED,
        applicationName: name,
        poolSize: config.DB_POOL_SIZE ?? 10,
        keepsPlans: true,
        logger,
      });
      const health = healthAddressOf(config);
      await waitForSchema({ db, logger, health, waitMs: config.SCHEMA_WAIT, signal });
      const bus = await createBus('block-ingestor', {
        ...natsOptionsOf(config),
        signal,
        name: `${name} ${owner}`,
        logger,
      });
      const ingestor = startIngestor({
        familyName,
        family,
        db,
        bus,
        log: logger,
        opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
        dial: createDial({ allow: config.OUTBOUND_ALLOW }),
        endpoints: config.CHAIN_ENDPOINTS,
        timeoutMs: config.NODE_TIMEOUT,
        upgrades: config.UPGRADES_FILE,
        startBlocks: config.START_BLOCK,
      });
      return {
        telemetry,
        health: { ...health, checks: () => checkIngestor({ db, bus, ingestor }) },
        async stop() {
          await ingestor.stop();
          await bus.close();
          await db.close();
        },
      };
    },
  });
}

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
