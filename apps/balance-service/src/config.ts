import {
  DATABASE_VARIABLES,
  durationMs,
  loadConfig,
  NATS_VARIABLES,
  serviceConfig,
} from '@chainwatch/config';
import type { z } from 'zod';

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
  });

export type Config = z.infer<typeof schema>;

export const readConfig = (): Config => loadConfig(schema);
