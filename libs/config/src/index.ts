/**
 * Reads the environment through a zod schema. Used by each app's config.ts and nowhere else.
 *
 * @example
 * export const config = loadConfig(serviceConfig.pick({ DATABASE_URL: true, NATS_URL: true }).extend({ POLL_INTERVAL: durationMs().default(1_000) }));
 */
export { ConfigError } from './config-error.ts';
export { loadConfig } from './load-config.ts';
export { serviceConfig } from './service-config.ts';
export {
  boolean,
  cidrList,
  commaList,
  durationMs,
  integer,
  json,
  originList,
  port,
  url,
  urls,
} from './variables.ts';
