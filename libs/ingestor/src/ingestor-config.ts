import { z } from 'zod';
import { DATABASE_VARIABLES, durationMs, json, NATS_VARIABLES, serviceConfig } from '@chainwatch/config';

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
    /** First block to follow, by chain: `{"eip155:1": 20000000}`. Default: the chain head at the first activation. */
    START_BLOCK: json(z.record(z.string(), z.int().min(0))).default({}),
  });
