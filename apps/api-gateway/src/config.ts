// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { calendarSchema } from '@chainwatch/chain-core';
import { channelEnvironment } from '@chainwatch/channels';
import {
  boolean,
  ConfigError,
  durationMs,
  integer,
  jsonFile,
  loadConfig,
  originList,
  serviceConfig,
  url,
} from '@chainwatch/platform/config';
import type { OidcSettings } from './oidc/oidc-client.ts';

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Every environment variable of the API gateway. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env) =>
  loadConfig(
    serviceConfig.extend({
      /** Roots of the problem types (decisions.md 1.7). */
      DOCS_URL: url('http', 'https').default('https://docs.chainwatch.dev'),
      API_HOST: url('http', 'https').default('https://api.chainwatch.dev'),
      /** Webhook URLs may be http: for the local stack and tests. */
      WEBHOOK_ALLOW_HTTP: boolean().default(false),
      /** Requests per 60 s and key, by the type of the key; failed authentications per 60 s and client address. */
      RATE_LIMIT_API: integer(1).default(1_200),
      RATE_LIMIT_MANAGEMENT: integer(1).default(120),
      RATE_LIMIT_RPC: integer(1).default(6_000),
      RATE_LIMIT_FAILED_AUTH: integer(1).default(60),
      /** Requests without a key (documents, preflights), per 60 s and client address. */
      RATE_LIMIT_PUBLIC: integer(1).default(600),
      /** Number of proxies in front whose word about the client's address is trusted. */
      TRUSTED_PROXIES: integer(0, 10).default(0),
      /**
       * Origins of web pages that may call the API with their user's key, separated by commas; `*` for any. Default
       * none.
       */
      CORS_ORIGINS: originList().default([]),
      /** Longest time to answer a request, and for one database statement. */
      REQUEST_TIMEOUT: durationMs().default(30_000),
      STATEMENT_TIMEOUT: durationMs().default(20_000),
      /** A streaming standby of DATABASE_URL's server: lists, exports, statements and statistics are read from it. */
      DATABASE_READ_URL: url('postgres', 'postgresql').optional(),
      /** How old their data may be; else the primary is read. */
      READ_STALENESS: durationMs()
        .refine((ms) => ms >= 1_000, 'expected at least 1s')
        .default(5_000),
      /** Time-out of a node that is asked while a client waits. */
      NODE_TIMEOUT: durationMs().default(8_000),
      ...channelEnvironment,
      /** Where people reach the gateway, without `/v1`: links in mails, pages of portal sessions. */
      PUBLIC_URL: url('http', 'https').optional(),
      /** Address of the RPC gateway as browsers reach it: the dashboard calls it. Default: it does not. */
      RPC_URL: url('http', 'https').optional(),
      /** Of the local stack alone: where the dashboard asks for coins of its chains. */
      PLAYGROUND_URL: url('http', 'https').optional(),
      /** Whose word about a person's e-mail address counts at the dashboard: OpenID Connect. Default: keys alone sign in. */
      OIDC_ISSUER: url('https', 'http')
        .refine(
          (text) => /^https:/i.test(text) || LOOPBACK.test(new URL(text).hostname),
          'expected https://, or http:// on loopback',
        )
        .optional(),
      /** What the issuer knows the gateway as. A client without a secret is a public one. */
      OIDC_CLIENT_ID: z.string().max(512).optional(),
      OIDC_CLIENT_SECRET: z.string().max(1_024).optional(),
      OIDC_SCOPES: z
        .string()
        .regex(
          /^(?=.*\bopenid\b)[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
          'expected scopes with openid among them, such as openid email',
        )
        .default('openid email'),
      /** A newer calendar of upgrades: it may warn, and changes no block. */
      UPGRADES_FILE: jsonFile(calendarSchema).optional(),
      /** Networks beside those of the release, or in their place: YAML or JSON. */
      NETWORKS_FILE: z.string().optional(),
      /**
       * Signs statements: 32 random bytes as base64. Replaced to rotate; public keys stay published. Default: there are no
       * statements.
       */
      STATEMENT_KEY: z.string().max(128).optional(),
      BUILD_COMMIT: z.string().max(64).default('unknown'),
      BUILD_TIME: z.string().max(64).default('unknown'),
    }),
    env,
  );

/** @throws ConfigError where the issuer is named without the client */
export function oidcOf(config: ReturnType<typeof readConfig>): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined) return undefined;
  if (clientId === undefined)
    throw new ConfigError([{ name: 'OIDC_CLIENT_ID', reason: 'is required with OIDC_ISSUER' }]);
  return { issuer, clientId, clientSecret, scopes: config.OIDC_SCOPES };
}
