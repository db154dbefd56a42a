// SPDX-License-Identifier: Apache-2.0
/**
 * Reads the environment through a zod schema. Used by each app's config.ts and nowhere else.
 *
 * @example
 * export const config = loadConfig(serviceConfig.pick({ ...DATABASE_VARIABLES, ...NATS_VARIABLES }).extend({ POLL_INTERVAL: durationMs().default(1_000) }));
 */
export {
  ConfigError,
  DATABASE_VARIABLES,
  healthAddressOf,
  loadConfig,
  NATS_VARIABLES,
  serviceConfig,
} from './service-config.ts';
export { parseRedisUrl, type RedisAddress } from './redis-url.ts';
export {
  boolean,
  cidrList,
  commaList,
  durationMs,
  file,
  integer,
  json,
  jsonFile,
  originList,
  port,
  url,
  urls,
} from './variables.ts';
