// SPDX-License-Identifier: Apache-2.0
import { createBus, natsOptionsOf } from '@chainwatch/data/bus';
import { healthAddressOf } from '@chainwatch/platform/config';
import { createDatabase, waitForSchema } from '@chainwatch/data/db';
import { runService, startTelemetry } from '@chainwatch/platform/telemetry';
import { splitChainGid } from '@chainwatch/common/caip';
import { createChainOpener, type ActiveChain, type UtxoCodec } from '@chainwatch/chain-core';
import { findFamily } from '@chainwatch/chain-registry';
import { createDial } from '@chainwatch/outbound';
import { createSealer, parseSecretsKeys } from '@chainwatch/platform/secrets';
import { readConfig } from './config.ts';
import { startAnalyzer } from './start-analyzer.ts';

const NAME = 'tx-analyzer';

await runService({
  name: NAME,
  start: async (logger, signal) => {
    const config = readConfig();
    const telemetry = await startTelemetry({ serviceName: NAME, instanceId: config.INSTANCE_ID });
    const db = createDatabase({
      url: config.DATABASE_URL,
      isPrepared: config.DB_PREPARED,
      applicationName: NAME,
      poolSize: config.DB_POOL_SIZE ?? 10,
      logger,
    });
    await waitForSchema({
      db,
      logger,
      health: healthAddressOf(config),
      waitMs: config.SCHEMA_WAIT,
      signal,
    });
    const bus = await createBus(NAME, { ...natsOptionsOf(config), signal, logger });
    const analyzer = startAnalyzer({
      db,
      bus,
      logger,
      openChain: createOpenChain(config),
      findUtxo,
      options: {
        prefetchWindow: config.PREFETCH_WINDOW,
        mempoolPollMs: config.MEMPOOL_POLL,
        mempoolGraceMs: config.MEMPOOL_GRACE,
        unknownWaitMs: config.UNKNOWN_WAIT,
        coinRoundIntervalMs: config.COIN_ROUND_INTERVAL,
      },
    });
    return {
      telemetry,
      health: { ...healthAddressOf(config), checks: analyzer.readiness },
      stop: async () => {
        await analyzer.stop();
        await Promise.all([bus.close(), db.close()]);
      },
    };
  },
});

/** Opens chains with this process' configuration. */
function createOpenChain(config: ReturnType<typeof readConfig>): ReturnType<typeof createChainOpener> {
  return createChainOpener({
    findFamily,
    opener: createSealer(parseSecretsKeys(config.SECRETS_KEYS)),
    dial: createDial({ allow: config.OUTBOUND_ALLOW }),
    endpoints: config.CHAIN_ENDPOINTS,
    indexes: config.INDEX_ENDPOINTS,
    timeoutMs: config.NODE_TIMEOUT,
  });
}

/** The codec of a chain's family, if the family has unspent outputs. */
async function findUtxo({ gid }: ActiveChain): Promise<UtxoCodec | undefined> {
  return (await findFamily(splitChainGid(gid).namespace))?.utxo;
}
