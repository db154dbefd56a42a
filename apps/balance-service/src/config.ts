// SPDX-License-Identifier: Apache-2.0
import {
  DATABASE_VARIABLES,
  durationMs,
  loadConfig,
  NATS_VARIABLES,
  serviceConfig,
} from '@chainwatch/platform/config';
import { z } from 'zod';

const schema = serviceConfig
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
    /** Time-out of one request to a node. */
    NODE_TIMEOUT: durationMs().default(10_000),
    /** Requests to each chain's nodes with which balances are read again in rounds, a batch as one. 0: no rounds. */
    BALANCE_ROUND_CALLS_PER_SECOND: z.coerce.number().min(0).max(10_000).default(20),
    /** A round begins at the earliest this long after the one before. */
    BALANCE_ROUND_INTERVAL: durationMs().default(60_000),
  });

export type Config = z.infer<typeof schema>;

export const readConfig = (): Config => loadConfig(schema);
