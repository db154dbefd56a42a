// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createCache } from '@chainwatch/platform/cache';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { createDial } from '@chainwatch/outbound';
import { createSealer, type Sealer } from '@chainwatch/platform/secrets';
import { startPostgres } from '@chainwatch/data/testing';
import { bootstrap, type Bootstrap } from '@chainwatch/tool-db/bootstrap';
import { generateApiKey, hashApiKey, maskApiKey } from '@chainwatch/common/api-key';
import { startRpcProxy, type RpcProxy, type RpcProxyOptions } from './start-rpc-proxy.ts';
import type { ChainSettings } from './chains/chain-settings.ts';

/** A database with a workspace and keys, and any number of gateways on it. */
export interface SpecWorld {
  readonly db: Database;
  readonly sealer: Sealer;
  readonly project: Bootstrap;
  /** Sends a bus message to every gateway. */
  tell(kind: 'key.revoked' | 'chain.changed', payload: unknown): void;
  /** Starts a gateway with these nodes, by chain gid. */
  open(
    upstreams: Readonly<Record<string, readonly (string | UpstreamOf)[]>>,
    options?: Partial<RpcProxyOptions> & { readonly methods?: ChainSettings['methods'] },
  ): Promise<RpcProxy & { readonly url: string }>;
  makeKey(permissions: readonly string[], type?: 'rpc' | 'api', workspaceId?: string): Promise<string>;
  /**
   * Makes another tenant.
   * @returns its workspace
   */
  makeWorkspace(): Promise<string>;
  readonly failures: unknown[];
  /** Ends every gateway that was opened: each asks its nodes for their health 20 times a second. */
  stopGateways(): Promise<void>;
  stop(): Promise<void>;
}

type UpstreamOf = ChainSettings['upstreams'][number];

export async function startSpecWorld(): Promise<SpecWorld> {
  const postgres = await startPostgres();
  const db = createDatabase({ url: postgres.url, applicationName: 'rpc-proxy-spec' });
  const project = await bootstrap(db, { label: 'svc' });
  const sealer = createSealer({ keys: { spec: randomBytes(32).toString('base64') }, activeKeyId: 'spec' });
  const listeners: { kind: string; handler: (message: never) => void }[] = [];
  const failures: unknown[] = [];
  const proxies: RpcProxy[] = [];
  const stopGateways = async (): Promise<void> => {
    await Promise.all(proxies.splice(0).map((proxy) => proxy.stop(0)));
    listeners.length = 0;
  };
  return {
    db,
    sealer,
    project,
    failures,
    tell(kind, payload) {
      for (const listener of listeners) if (listener.kind === kind) listener.handler({ payload } as never);
    },
    async open(upstreams, { methods = {}, ...options } = {}) {
      const proxy = await startRpcProxy({
        ...usualOptions(db, sealer),
        bus: {
          isConnected: true,
          subscribe: (kind, _tokens, handler) => {
            listeners.push({ kind, handler: handler as never });
            return () => undefined;
          },
        },
        logger: {
          info: () => undefined,
          warn: () => undefined,
          error: ({ err }: { err?: unknown }) => void failures.push(err),
        } as never,
        settings: settingsOf(upstreams, methods),
        ...options,
      });
      proxies.push(proxy);
      return { ...proxy, url: `http://127.0.0.1:${proxy.port}` };
    },
    makeWorkspace: () => insertWorkspace(db),
    makeKey: (permissions, type = 'rpc', workspaceId = project.workspaceId) =>
      insertKey(db, {
        permissions,
        type,
        workspaceId,
        projectId: type === 'api' ? project.projectId : null,
      }),
    stopGateways,
    async stop() {
      await stopGateways();
      await db.close();
      await postgres.stop();
    },
  };
}

function settingsOf(
  upstreams: Readonly<Record<string, readonly (string | UpstreamOf)[]>>,
  methods: ChainSettings['methods'],
): RpcProxyOptions['settings'] {
  return Object.fromEntries(
    Object.entries(upstreams).map(([gid, list]) => [
      gid,
      {
        methods,
        cache: true,
        upstreams: list.map((entry) =>
          typeof entry === 'string' ? { url: entry, weight: 1, headers: {} } : entry,
        ),
      },
    ]),
  );
}

function usualOptions(db: Database, sealer: Sealer): Omit<RpcProxyOptions, 'bus' | 'logger' | 'settings'> {
  return {
    db,
    cache: createCache(undefined),
    opener: sealer,
    dial: createDial({ allow: ['127.0.0.0/8', '::1/128'] }),
    namespaceLabel: 'svc',
    limits: { perKey: 1_000_000_000, failedPerClient: 1_000_000, publicPerClient: 1_000_000 },
    cacheBytes: 0,
    sharedCacheSeconds: 0,
    healthIntervalMs: 50,
    trustedProxies: 0,
    corsOrigins: [],
    endpoints: {},
    port: 0,
    host: '127.0.0.1',
  };
}

async function insertWorkspace(db: Database): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    "INSERT INTO workspaces (name) VALUES ('another') RETURNING id",
  );
  return rows[0]!.id;
}

async function insertKey(
  db: Database,
  row: {
    readonly permissions: readonly string[];
    readonly type: 'rpc' | 'api';
    readonly workspaceId: string;
    readonly projectId: string | null;
  },
): Promise<string> {
  const key = generateApiKey({ label: 'svc', type: row.type, randomBytes });
  await db.query(
    "INSERT INTO api_keys (type, workspace_id, project_id, name, mask, key_hash, permissions) VALUES ($1, $2, $3, 'spec', $4, $5, $6)",
    [
      row.type,
      row.workspaceId,
      row.projectId,
      maskApiKey(key),
      Buffer.from(hashApiKey(key)),
      row.permissions,
    ],
  );
  return key;
}
