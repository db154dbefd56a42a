// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import {
  openEndpoint,
  openMore,
  type ChainEndpoint,
  type Opener,
  type SealedEndpoints,
} from '@chainwatch/chain-core';
import { listNetworks, overrideNetworks } from '@chainwatch/chain-registry';
import { MORE_ENDPOINTS, type Sql } from '@chainwatch/data/db';
import type { UpstreamSource } from '../upstreams/upstream.ts';
import type { ChainDirectory } from './chain-directory.ts';
import type { ChainSettings } from './chain-settings.ts';

export interface FollowOptions {
  readonly db: Sql;
  readonly opener: Opener;
  readonly directory: ChainDirectory;
  readonly settings: Readonly<Record<string, ChainSettings>>;
  /** CHAIN_ENDPOINTS: more nodes for every service, by chain gid. */
  readonly endpoints: Readonly<Record<string, readonly string[]>>;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface EndpointFollower {
  /** The database has been read since the last failure. */
  readonly isCurrent: boolean;
  refresh(): Promise<void>;
  stop(): void;
}

const INTERVAL_MS = 1_000;

/** Keeps the networks and the nodes of every chain as the database has them: at once after a notification, otherwise within a second. */
export async function followEndpoints(options: FollowOptions): Promise<EndpointFollower> {
  let isCurrent = false;
  let running: Promise<void> | undefined;
  const known = new Map<string, string>();
  let networks = '[]';
  const refresh = async (): Promise<void> => {
    try {
      const now = await applyNetworks(options, networks);
      if (now !== networks) known.clear();
      networks = now;
      await applyEndpoints(options, known);
      isCurrent = true;
    } catch (error) {
      // The last known nodes stay in use.
      if (isCurrent) options.logger.warn({ err: error }, 'failed to read chain endpoints');
      isCurrent = false;
    }
  };
  const refreshOnce = (): Promise<void> => (running ??= refresh().finally(() => (running = undefined)));
  await refreshOnce();
  const timer = setInterval(() => void refreshOnce(), INTERVAL_MS);
  timer.unref();
  return {
    get isCurrent() {
      return isCurrent;
    },
    // A refresh in flight may have read the database before the change.
    refresh: async () => {
      await running;
      await refreshOnce();
    },
    stop: () => clearInterval(timer),
  };
}

/** Returns what an operator says of networks; nothing is done where it is what it was `before`. */
async function applyNetworks({ db, directory, logger }: FollowOptions, before: string): Promise<string> {
  const { rows } = await db.query<{ document: unknown }>('SELECT document FROM networks ORDER BY gid');
  const documents = rows.map(({ document }) => document);
  const now = JSON.stringify(documents);
  if (now === before) return now;
  const faults = overrideNetworks(documents);
  if (faults.length > 0) logger.warn({ faults }, 'ignored unsupported network documents');
  directory.setNetworks(listNetworks());
  return now;
}

async function applyEndpoints(
  { db, opener, directory, settings, endpoints, logger }: FollowOptions,
  known: Map<string, string>,
): Promise<void> {
  const { rows } = await db.query<SealedEndpoints>(
    `SELECT gid, endpoint_sealed AS "endpointSealed", other_endpoints_sealed AS "otherEndpointsSealed", (${MORE_ENDPOINTS}) AS "moreEndpoints" FROM blockchains b`,
  );
  const byGid = new Map(rows.map((row) => [row.gid, row]));
  for (const gid of new Set([
    ...byGid.keys(),
    ...known.keys(),
    ...Object.keys(settings),
    ...Object.keys(endpoints),
  ])) {
    const row = byGid.get(gid);
    const state = JSON.stringify([row?.endpointSealed, row?.otherEndpointsSealed, row?.moreEndpoints]);
    if (known.get(gid) === state) continue;
    const chain = directory.findByGid(gid);
    if (chain !== undefined) {
      const nodes: WeightedEndpoint[] = [
        ...(row === undefined ? [] : openAll(row, opener, logger)),
        ...(endpoints[gid] ?? []).map((endpointUrl) => ({ endpointUrl, weight: 1 })),
      ];
      const urlsOf = chain.rpc.paths?.urlsOf ?? urlsOfRpc;
      const urls = nodes.map((node) => ({ ...urlsOf(node), node }));
      const more = settings[gid]?.upstreams ?? [];
      directory.setSources(
        chain,
        [...urls.map(({ rpc, node }) => toSource(rpc, node)), ...more],
        [...urls.map(({ paths, node }) => toSource(paths, node)), ...more],
      );
    }
    known.set(gid, state);
  }
}

/** For a family without a path interface. */
function urlsOfRpc({ endpointUrl }: ChainEndpoint): { rpc: string; paths: string } {
  return { rpc: endpointUrl, paths: endpointUrl };
}

type WeightedEndpoint = ChainEndpoint & { readonly weight: number };

function toSource(url: string, { endpointUrl, weight }: WeightedEndpoint): UpstreamSource {
  return { url, node: endpointUrl, weight, headers: {} };
}

/** Those that were set over the API. One sealed with an unknown key is left out; others are not affected. */
function openAll(row: SealedEndpoints, opener: Opener, logger: FollowOptions['logger']): WeightedEndpoint[] {
  const openers = [
    () => {
      const first = openEndpoint(row, opener);
      return first && { ...first, weight: 1 };
    },
    ...(row.moreEndpoints ?? []).map((endpoint) => () => openMore(endpoint, opener)),
  ];
  return openers.flatMap((open) => {
    try {
      return open() ?? [];
    } catch (error) {
      logger.warn({ chain_gid: row.gid, err: error }, 'failed to open endpoint');
      return [];
    }
  });
}
