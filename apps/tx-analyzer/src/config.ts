import { durationMs, integer, loadConfig, serviceConfig } from '@chainwatch/config';

export const config = loadConfig(
  serviceConfig
    .pick({ DATABASE_URL: true, NATS_URL: true, HEALTH_PORT: true, LOG_LEVEL: true, INSTANCE_ID: true, SECRETS_KEYS: true, OUTBOUND_ALLOW: true, CHAIN_ENDPOINTS: true })
    .extend({
      /** Bodies read at once per chain. */
      PREFETCH_WINDOW: integer(1, 256).default(24),
      /** One request to a node. */
      NODE_TIMEOUT: durationMs().default(10_000),
    }),
);
