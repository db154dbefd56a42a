// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { NAMESPACE_LABEL_PATTERN } from '@chainwatch/common/api-key';
import { z } from 'zod';
import { BaseError } from '@chainwatch/common/problem';
import {
  boolean,
  cidrList,
  durationMs,
  file,
  integer,
  json,
  port,
  redisUrl,
  url,
  urls,
} from './variables.ts';

const SECRETS_KEY = /^[\w-]{1,32}:[A-Za-z0-9+/_-]{43}=?$/;

/**
 * The variables that services share. Take what a service needs with `pick`, and extend it:
 * `serviceConfig.pick({ DATABASE_URL: true, NATS_URL: true, HEALTH_PORT: true }).extend({ … })`.
 */
export const serviceConfig = z.object({
  DATABASE_URL: url('postgres', 'postgresql'),
  /**
   * Use named prepared statements. Must be off behind a PgBouncer older than 1.21 that pools by transaction.
   */
  DB_PREPARED: boolean().default(true),
  /** How long a service waits at its start, not ready, for the migrations of its release; then it ends. */
  SCHEMA_WAIT: durationMs().default(600_000),
  /** Sessions of PostgreSQL that the process may hold at once. Each service has its own default. */
  DB_POOL_SIZE: integer(4, 1_000).optional(),
  /** One or several, with commas between; each may have its own user and password. */
  NATS_URL: urls('nats', 'tls').default('nats://127.0.0.1:4222'),
  /** Replicas of every stream and bucket, applied at every start. Unset: new ones get 1, existing ones keep theirs. */
  NATS_REPLICAS: integer(1, 5).optional(),
  /** A login that is no part of NATS_URL: a .creds file, or the seed of an nkey. */
  NATS_CREDS_FILE: file().optional(),
  NATS_NKEY_SEED_FILE: file().optional(),
  /** Authority of the servers' certificates, and the client's certificate with its key. Each of them demands TLS. */
  NATS_CA_FILE: file().optional(),
  NATS_CERT_FILE: file().optional(),
  NATS_KEY_FILE: file().optional(),
  /** Optional: without Redis limits are counted per process. A server, a cluster, or sentinels: redis-url.ts. */
  REDIS_URL: redisUrl().optional(),
  /** Replicas of this service. Each grants its part of every limit until it learned from Redis how many there are. */
  REPLICAS: integer(1, 10_000).default(1),
  PORT: port().default(8080),
  /** Address to listen on, for health checks too; unset: every interface. */
  HOST: z.string().max(255).optional(),
  /** 0 takes a free one. */
  HEALTH_PORT: port().default(0),
  /** How long a gateway that was told to stop goes on answering, while load balancers learn of it. */
  DRAIN_DELAY: durationMs().default(5_000),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'expected trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  /** Names this replica in logs and telemetry. */
  INSTANCE_ID: z
    .string()
    .max(128)
    .default(() => `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`),
  /** First part of API keys and webhook secrets (decisions.md §1.1). */
  NAMESPACE_LABEL: z
    .string()
    .regex(NAMESPACE_LABEL_PATTERN, 'expected 2 to 10 characters a-z, 0-9, a letter first')
    .default('svc'),
  /** `kid:base64,kid:base64`, 32 bytes each; the first one seals, all of them open. */
  SECRETS_KEYS: z
    .string()
    .refine(
      (text) => text.split(',').every((part) => SECRETS_KEY.test(part.trim())),
      'expected kid:base64 of 32 bytes, several with commas between; openssl rand -base64 32 makes one',
    ),
  /** Private address ranges where webhooks and nodes are allowed. */
  OUTBOUND_ALLOW: cidrList().default([]),
  /** Endpoints besides the one of the API, tried in turn: `{"eip155:1": ["https://…"]}`. */
  CHAIN_ENDPOINTS: json(
    z.record(z.string(), z.array(z.string().refine((text) => URL.canParse(text), 'expected a URL'))),
  ).default({}),
  /** Indexes of addresses beside the nodes (Bitcoin: an Esplora API), by chain: `{"bip122:…": "https://…/api"}`. */
  INDEX_ENDPOINTS: json(z.record(z.string(), url('http', 'https'))).default({}),
});

/** Masks for `serviceConfig.pick`: what every service needs to reach PostgreSQL and NATS. */
export const DATABASE_VARIABLES = {
  DATABASE_URL: true,
  DB_PREPARED: true,
  DB_POOL_SIZE: true,
  SCHEMA_WAIT: true,
} as const;
export const NATS_VARIABLES = {
  NATS_URL: true,
  NATS_REPLICAS: true,
  NATS_CREDS_FILE: true,
  NATS_NKEY_SEED_FILE: true,
  NATS_CA_FILE: true,
  NATS_CERT_FILE: true,
  NATS_KEY_FILE: true,
} as const;

/** Where a service answers health checks and metrics. */
export function healthAddressOf({
  HEALTH_PORT: port,
  HOST: host,
}: Pick<z.infer<typeof serviceConfig>, 'HEALTH_PORT' | 'HOST'>): {
  readonly port: number;
  readonly host?: string;
} {
  return { port, host };
}

/**
 * Reads the environment through a schema. An empty variable counts as absent, as deployment files leave them.
 * @throws ConfigError that names every wrong variable
 */
export function loadConfig<S extends z.ZodObject>(
  schema: S,
  env: Readonly<Record<string, string | undefined>> = process.env,
): z.infer<S> {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = schema.safeParse(present);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? '(all)');
      const inner = issue.path.slice(1).join('.');
      const reason = present[name] === undefined ? 'is required' : issue.message;
      return { name, reason: inner === '' ? reason : `at ${inner}: ${reason}` };
    }),
  );
}

/** Names every wrong variable at once, one per line, without their values: they may be secrets. */
export class ConfigError extends BaseError {
  readonly code = 'config_invalid';
  readonly retryable = false;
  readonly problems: readonly { readonly name: string; readonly reason: string }[];
  constructor(problems: readonly { readonly name: string; readonly reason: string }[]) {
    const lines = problems.map(({ name, reason }) => `  ${name}: ${reason}`);
    super(
      `The configuration is not usable, ${problems.length} ${problems.length === 1 ? 'variable is' : 'variables are'} wrong:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}
