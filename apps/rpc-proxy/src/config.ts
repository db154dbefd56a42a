// SPDX-License-Identifier: Apache-2.0
import {
  boolean,
  DATABASE_VARIABLES,
  durationMs,
  integer,
  json,
  loadConfig,
  NATS_VARIABLES,
  originList,
  serviceConfig,
} from '@chainwatch/platform/config';
import { chainSettingsSchema } from './chains/chain-settings.ts';
import { DEFAULT_BOUNDS } from './limits/bounds.ts';

const MIB = 1_048_576;

/** Every environment variable of the RPC gateway. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env) =>
  loadConfig(
    serviceConfig
      .pick({
        ...DATABASE_VARIABLES,
        ...NATS_VARIABLES,
        REDIS_URL: true,
        REPLICAS: true,
        PORT: true,
        HEALTH_PORT: true,
        HOST: true,
        DRAIN_DELAY: true,
        NAMESPACE_LABEL: true,
        SECRETS_KEYS: true,
        OUTBOUND_ALLOW: true,
        CHAIN_ENDPOINTS: true,
      })
      .extend({
        /** Calls per 60 s and key; failed authentications, and requests without a key, per 60 s and client address. */
        RATE_LIMIT_RPC: integer(1).default(6_000),
        RATE_LIMIT_FAILED_AUTH: integer(1).default(60),
        RATE_LIMIT_PUBLIC: integer(1).default(600),
        /** Memory for bodies, calls in flight and unread answers, in MiB: of the process, of a key, of a connection. */
        RPC_HELD_MEMORY: integer(32, 65_536).default(DEFAULT_BOUNDS.heldBytes / MIB),
        RPC_HELD_MEMORY_PER_KEY: integer(1, 65_536).default(DEFAULT_BOUNDS.heldBytesPerKey / MIB),
        RPC_HELD_MEMORY_PER_CONNECTION: integer(1, 65_536).default(
          DEFAULT_BOUNDS.heldBytesPerConnection / MIB,
        ),
        /** Calls of a key in flight at one node; further calls wait. */
        RPC_CALLS_PER_KEY: integer(1, 256).default(DEFAULT_BOUNDS.callsPerKey),
        /** Open connections of a key, and from one client address. */
        RPC_SOCKETS_PER_KEY: integer(1).default(DEFAULT_BOUNDS.socketsPerKey),
        RPC_CONNECTIONS_PER_CLIENT: integer(1).default(DEFAULT_BOUNDS.connectionsPerClient),
        /** A connection that accepts no byte for this long is cut. */
        RPC_WRITE_TIMEOUT: durationMs().default(DEFAULT_BOUNDS.writeTimeoutMs),
        /** Number of proxies in front whose word about the client's address is trusted. */
        TRUSTED_PROXIES: integer(0, 10).default(0),
        /** By chain gid: `{"eip155:1": {"upstreams": [{"url": "https://…", "weight": 2, "headers": {…}}], "methods": {"allow": [], "deny": [], "unlock": []}, "cache": true}}`. */
        RPC_CHAINS: json(chainSettingsSchema).default({}),
        /** Origins whose web pages may call; `*` stands for any. */
        CORS_ORIGINS: originList().default([]),
        RPC_CACHE: boolean().default(true),
        /** Memory for cached answers, in MiB. */
        RPC_CACHE_MEMORY: integer(1, 65_536).default(128),
        /** How long Redis keeps answers that cannot change, for every replica; `0s` keeps none there. */
        RPC_CACHE_SHARED: durationMs().default(86_400_000),
      }),
    env,
  );
