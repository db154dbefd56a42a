// SPDX-License-Identifier: Apache-2.0
import {
  DATABASE_VARIABLES,
  durationMs,
  integer,
  loadConfig,
  NATS_VARIABLES,
  serviceConfig,
} from '@chainwatch/platform/config';

/** Every environment variable of the analyzer. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env) =>
  loadConfig(
    serviceConfig
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
        INDEX_ENDPOINTS: true,
      })
      .extend({
        /** Bodies read ahead per chain, at most. */
        PREFETCH_WINDOW: integer(1, 256).default(64),
        /** One request to a node. */
        NODE_TIMEOUT: durationMs().default(10_000),
        /** How often a mempool is read, where the node tells it; 0: never. */
        MEMPOOL_POLL: durationMs().default(1_000),
        /** How long a pending transaction may be missing from the mempool before it counts as failed. */
        MEMPOOL_GRACE: durationMs().default(60_000),
        /** How long a block with something unknown waits for an endpoint that tells it in a known form; once per kind and chain. */
        UNKNOWN_WAIT: durationMs().default(300_000),
        /** Coins are compared with the nodes' at the earliest this long after the time before (Bitcoin); 0: never. */
        COIN_ROUND_INTERVAL: durationMs().default(3_600_000),
      }),
    env,
  );
