import { z } from 'zod';
import { boolean, durationMs, integer, json, loadConfig, serviceConfig } from '@chainwatch/config';
import { chainSettingsSchema } from './chains/chain-settings.ts';

/** Every environment variable of the RPC gateway. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env) =>
  loadConfig(
    serviceConfig
      .pick({ DATABASE_URL: true, NATS_URL: true, REDIS_URL: true, PORT: true, HEALTH_PORT: true, NAMESPACE_LABEL: true, SECRETS_KEYS: true, OUTBOUND_ALLOW: true, CHAIN_ENDPOINTS: true })
      .extend({
        /** Address to listen on; default every one. */
        HOST: z.string().max(255).optional(),
        /** Calls per 60 s and key; failed authentications, and what needs no key, per 60 s and client address. */
        RATE_LIMIT_RPC: integer(1).default(6_000),
        RATE_LIMIT_FAILED_AUTH: integer(1).default(60),
        RATE_LIMIT_PUBLIC: integer(1).default(600),
        /** How many proxies in front are believed about the client's address. */
        TRUSTED_PROXIES: integer(0, 10).default(0),
        /** By chain gid: `{"eip155:1": {"upstreams": [{"url": "https://…", "weight": 2, "headers": {…}}], "methods": {"allow": [], "deny": [], "unlock": []}, "cache": true}}`. */
        RPC_CHAINS: json(chainSettingsSchema).default({}),
        RPC_CACHE: boolean().default(true),
        /** Memory for cached answers, in MiB. */
        RPC_CACHE_MEMORY: integer(1, 65_536).default(128),
        /** How long Redis keeps what cannot change, for every replica; `0s` keeps none there. */
        RPC_CACHE_SHARED: durationMs().default(86_400_000),
      }),
    env,
  );
