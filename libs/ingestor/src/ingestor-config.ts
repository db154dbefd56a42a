// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { calendarSchema } from '@chainwatch/chain-core';
import {
  DATABASE_VARIABLES,
  durationMs,
  json,
  jsonFile,
  NATS_VARIABLES,
  serviceConfig,
} from '@chainwatch/platform/config';

/** What a block-ingestor reads from the environment. */
export const ingestorConfig = serviceConfig
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
