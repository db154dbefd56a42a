// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import request from 'supertest';
import type { ApiKeyType } from '@chainwatch/common/api-key';
import type { OutgoingMessage } from '@chainwatch/data/bus';
import { createCache } from '@chainwatch/platform/cache';
import { createDatabase } from '@chainwatch/data/db';
import type { Database } from '@chainwatch/data/db';
import { createPrisma } from '@chainwatch/data/prisma';
import { createUpgradeBook } from '@chainwatch/chain-registry';
import { createKeyStore } from '@chainwatch/data/key-store';
import { createDial } from '@chainwatch/outbound';
import { createSealer } from '@chainwatch/platform/secrets';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap } from '@chainwatch/tool-db/bootstrap';
import type { Bootstrap } from '@chainwatch/tool-db/bootstrap';
import type { ApiDeps, ApiSettings } from '../api-deps.ts';
import { BulkThreads } from '../bulk/bulk-threads.ts';
import { findRequestOwner } from '../server/request-owner.ts';
import { createChainRecords } from '../chains/chain-records.ts';
import { EventFeeds, type EventFeedsDeps } from '../events/event-feeds.ts';
import { refreshNetworks } from '../networks/follow-networks.ts';
import { KeyWatch } from '../auth/key-watch.ts';
import { Exports } from '../lists/exports.ts';
import { createApp } from '../create-app.ts';
import type { AppOptions } from '../create-app.ts';
import { readChainRecord } from '../chains/read-chain-record.ts';
import { watchAnswers } from './watch-answers.ts';

export interface Published {
  readonly kind: string;
  readonly tokens: readonly string[];
  readonly payload: unknown;
}

/**
 * The app on a real, fresh PostgreSQL, with two projects, each in its own workspace. The bus records messages; nothing
 * consumes them.
 */
export interface SpecWorld {
  readonly api: Client;
  /** With the key of another project. */
  readonly other: Client;
  /** With the management keys of the two workspaces. */
  readonly management: Client;
  readonly otherManagement: Client;
  readonly project: Bootstrap;
  readonly otherProject: Bootstrap;
  readonly deps: ApiDeps;
  readonly db: Database;
  readonly databaseUrl: string;
  readonly published: Published[];
  /** Errors that the app reported as unexpected: empty in every test that passes. */
  readonly failures: unknown[];
  /** How far the clock of the keys is ahead. */
  readonly clock: { aheadMs: number };
  send(method: Method, path: string, key?: string): request.Test;
  clientOf(key: string): Client;
  readonly server: Server;
  /** Applied from the next request on. */
  readonly limits: { perKey: Record<ApiKeyType, number>; failedPerClient: number; publicPerClient: number };
  /** @throws Error if an answer deviated from the OpenAPI document */
  stop(): Promise<void>;
}

const URIS = { docsUrl: 'https://docs.example.com', apiHost: 'https://api.example.com' };

type Method = 'get' | 'post' | 'patch' | 'put' | 'delete' | 'options' | 'head';
export type Client = Record<'get' | 'post' | 'patch' | 'put' | 'delete', (path: string) => request.Test>;

interface WorldOptions {
  readonly label?: string;
  readonly settings?: Partial<ApiSettings>;
  /** Default: loopback, where anvil and the receivers run. */
  readonly allow?: readonly string[];
  /** Default true. */
  readonly checkReplies?: boolean;
  readonly app?: Partial<
    Pick<AppOptions, 'trustedProxies' | 'corsOrigins' | 'requestTimeoutMs' | 'cache' | 'logger' | 'oidc'>
  >;
  readonly feeds?: Partial<EventFeedsDeps>;
  readonly statementTimeoutMs?: number;
  /** As where STATEMENT_KEY is not set. */
  readonly hasNoStatements?: boolean;
  /** Default: a fresh database of the shared server. */
  readonly postgres?: Pick<PostgresHandle, 'url' | 'stop'>;
  /** Makes another instance of the app, with that one's database, projects and sealing keys. */
  readonly sharing?: SpecWorld;
}

export async function startSpecWorld(options: WorldOptions = {}): Promise<SpecWorld> {
  const { sharing } = options;
  const postgres = sharing
    ? { url: sharing.databaseUrl, stop: async () => undefined }
    : (options.postgres ?? (await startPostgres()));
  const sessions = { statementTimeoutMs: options.statementTimeoutMs, findOwner: findRequestOwner };
  const db = createDatabase({ url: postgres.url, applicationName: 'api-gateway-spec', ...sessions });
  const prisma = createPrisma(postgres.url, sessions);
  const label = options.label ?? 'svc';
  const project = sharing?.project ?? (await bootstrap(db, { label }));
  const otherProject = sharing?.otherProject ?? (await bootstrap(db, { label }));
  const published: Published[] = [];
  const failures: unknown[] = [];
  const limits = {
    perKey: { api: 1_000_000, rpc: 1_000_000, mgt: 1_000_000 },
    failedPerClient: 1_000_000,
    publicPerClient: 1_000_000,
  };
  const clock = { aheadMs: 0 };
  const keys = createKeyStore({ db, now: () => Date.now() + clock.aheadMs });
  const bulk = new BulkThreads({ databaseUrl: postgres.url, ...URIS });
  const deps = createDeps({ db, prisma, keys, published, label, bulk }, options);
  const breaches: string[] = [];
  const server = await serve({ deps, keys, limits, failures, breaches }, options);
  const { send, clientOf } = createClients(server);
  return {
    api: clientOf(project.keys.api),
    other: clientOf(otherProject.keys.api),
    management: clientOf(project.keys.management),
    otherManagement: clientOf(otherProject.keys.management),
    project,
    otherProject,
    deps,
    db,
    databaseUrl: postgres.url,
    published,
    failures,
    clock,
    send,
    clientOf,
    server,
    limits,
    async stop() {
      server.closeAllConnections();
      await bulk.stop();
      await new Promise((resolve) => server.close(resolve));
      await prisma.$disconnect();
      await db.close();
      await postgres.stop();
      if (breaches.length > 0)
        throw new Error(
          `${breaches.length} answers were not as the OpenAPI document says:\n${breaches.slice(0, 20).join('\n')}`,
        );
    },
  };
}

/** Checks every answer against the OpenAPI document, unless the world turns that off. */
async function serve(
  {
    failures,
    breaches,
    ...parts
  }: Pick<AppOptions, 'deps' | 'keys' | 'limits'> & {
    readonly failures: unknown[];
    readonly breaches: string[];
  },
  { app: more, checkReplies = true }: WorldOptions,
): Promise<Server> {
  const app = createApp({
    ...parts,
    cache: createCache(undefined),
    ...URIS,
    trustedProxies: 0,
    corsOrigins: [],
    requestTimeoutMs: 60_000,
    logger: { error: ({ err }: { err?: unknown }) => void failures.push(err), debug: () => undefined },
    checkReplies,
    ...more,
  });
  const server = createServer(
    checkReplies ? watchAnswers(app, (breach) => void breaches.push(breach)) : app,
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function createDeps(
  {
    published,
    label,
    ...stores
  }: Pick<ApiDeps, 'db' | 'prisma' | 'keys' | 'bulk'> & {
    readonly published: Published[];
    readonly label: string;
  },
  { allow = ['127.0.0.0/8', '::1/128'], settings, feeds, sharing, hasNoStatements }: WorldOptions,
): ApiDeps {
  const logger = { warn: () => undefined };
  const { db } = stores;
  const open = { db, slots: createCache(undefined), logger, keyWatch: new KeyWatch({ db, logger }) };
  return {
    ...stores,
    // Not cached, because specs write past the API.
    chains: createChainRecords({ read: (gid) => readChainRecord(stores.db, gid), lifetimeMs: 0 }),
    networks: { refresh: async () => void (await refreshNetworks(db)) },
    bus: {
      publish: async (kind: string, { tokens, payload }: OutgoingMessage<unknown>) =>
        void published.push({ kind, tokens, payload }),
    },
    cache: createCache(undefined),
    sealer:
      sharing?.deps.sealer ??
      createSealer({ keys: { spec: randomBytes(32).toString('base64') }, activeKeyId: 'spec' }),
    feeds: new EventFeeds({ ...open, ...feeds }),
    exports: new Exports({ ...open, ...feeds }),
    // No worker: specs of statements start their own.
    statements: hasNoStatements === true ? undefined : { call: () => undefined },
    dial: createDial({ allow: [...allow] }),
    logger,
    settings: {
      namespaceLabel: label,
      allowHttpWebhooks: true,
      channelOptions: {},
      chainEndpoints: {},
      upgrades: createUpgradeBook(),
      nodeTimeoutMs: 3_000,
      uris: URIS,
      version: { name: 'chainwatch', version: '0.0.0', commit: 'spec', builtAt: '2026-01-01T00:00:00Z' },
      ...settings,
    },
  };
}

function createClients(server: Server): Pick<SpecWorld, 'send' | 'clientOf'> {
  const send = (method: Method, path: string, key?: string): request.Test => {
    const test = request(server)[method](path);
    return key === undefined ? test : test.set('X-Api-Key', key);
  };
  return {
    send,
    clientOf: (key) => ({
      get: (path) => send('get', `/v1${path}`, key),
      post: (path) => send('post', `/v1${path}`, key),
      patch: (path) => send('patch', `/v1${path}`, key),
      put: (path) => send('put', `/v1${path}`, key),
      delete: (path) => send('delete', `/v1${path}`, key),
    }),
  };
}
