// SPDX-License-Identifier: Apache-2.0
import type { Cache } from '@chainwatch/platform/cache';
import type { ChainNotation, Dial, Network } from '@chainwatch/chain-core';
import { parseEndpoint } from '@chainwatch/chain-core';
import { findNetwork, listNetworks } from '@chainwatch/chain-registry';
import { createGuardedSockets } from '@chainwatch/outbound';
import { createMethodTable } from '../methods/method-rule.ts';
import { isThere } from '../upstreams/ask-health.ts';
import { Clock } from '../upstreams/clock.ts';
import { Upstream, type UpstreamSource } from '../upstreams/upstream.ts';
import { watchHealth, type HealthLog } from '../upstreams/watch-health.ts';
import type { ChainSettings } from './chain-settings.ts';
import { Chain } from './chain.ts';
import type { FilterRegistry } from './filter-registry.ts';

export interface DirectoryOptions {
  readonly families: readonly ChainNotation[];
  readonly settings: Readonly<Record<string, ChainSettings>>;
  readonly dial: Dial;
  readonly logger: HealthLog;
  /** Between two questions to a node. Default half a block's time, 0.25 to 2 s. */
  readonly healthIntervalMs?: number | undefined;
  /** Calls of one key in flight at one node. */
  readonly callsPerKey: number;
  /** The filters of all chains. */
  readonly filters: FilterRegistry;
  /** Shares with the other replicas what keys have seen. */
  readonly cache?: Pick<Cache, 'marks' | 'isReady'>;
}

const TIMEOUTS = { connectTimeoutMs: 2_000 };
const PROBE_MS = 150;
const NAMES_MAX = 1_000;

/** Every known network by gid and alias, and the nodes of those that have some. */
export class ChainDirectory {
  readonly clock = new Clock();
  readonly #byGid = new Map<string, Chain>();
  readonly #byName = new Map<string, Chain>();
  readonly #watches = new Map<Upstream, AbortController>();
  readonly #options: DirectoryOptions;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    this.setNetworks(listNetworks());
  }

  /** Those that stay keep their nodes; those that are gone lose them. */
  setNetworks(networks: readonly Network[]): void {
    this.#byName.clear();
    const gone = new Map(this.#byGid);
    for (const network of networks) {
      const chain = this.#byGid.get(network.gid);
      if (chain === undefined) this.#add(network);
      else chain.network = network;
      gone.delete(network.gid);
    }
    for (const [gid, chain] of gone) {
      chain.isGone = true;
      this.setSources(chain, [], []);
      this.#byGid.delete(gid);
    }
  }

  get chains(): Iterable<Chain> {
    return this.#byGid.values();
  }

  findByGid(gid: string): Chain | undefined {
    return this.#byGid.get(gid);
  }

  /** Finds a chain by the first segment of a request's path, percent-encoded as it came. */
  find(name: string): Chain | undefined {
    return this.#byName.get(name) ?? this.#findSlowly(name);
  }

  /** Sets the nodes of a chain from now on, and those of its path interface if its family has one. */
  setSources(chain: Chain, sources: readonly UpstreamSource[], pathSources: readonly UpstreamSource[]): void {
    this.#setNodes(chain, sources);
    if (chain.paths !== undefined) this.#setNodes(chain.paths, pathSources);
  }

  close(): void {
    for (const stop of this.#watches.values()) stop.abort();
    for (const upstream of this.#watches.keys()) upstream.destroy();
  }

  #add(network: Network): void {
    const { families, settings, filters, cache } = this.#options;
    const family = families.find(({ name }) => name === network.family);
    if (family === undefined) return;
    const { methods, cache: isCached } = settings[network.gid] ?? {};
    const ruleOf = createMethodTable(family, families, methods);
    const chain = new Chain({ network, family, clock: this.clock, ruleOf, isCached, filters, cache });
    for (const side of [chain, chain.paths])
      if (side !== undefined) side.probe = (upstream) => isThere(upstream, side, PROBE_MS);
    this.#byGid.set(network.gid, chain);
  }

  /** Nodes that stay keep their connections and everything known about them. */
  #setNodes(chain: Chain, sources: readonly UpstreamSource[]): void {
    const before = new Map(chain.upstreams.map((upstream) => [keyOf(upstream.source), upstream]));
    const after = new Map<string, Upstream>();
    for (const source of sources) {
      const key = keyOf(source);
      const upstream = before.get(key) ?? this.#open(chain.network.gid, source);
      if (upstream !== undefined) after.set(key, upstream);
    }
    chain.upstreams = [...after.values()];
    for (const [key, upstream] of before) if (!after.has(key)) this.#close(chain, upstream);
    for (const upstream of chain.upstreams) if (!this.#watches.has(upstream)) this.#watch(chain, upstream);
    chain.refreshHead();
  }

  #findSlowly(name: string): Chain | undefined {
    const network = findNetwork(decode(name));
    const chain = network && this.#byGid.get(network.gid);
    if (chain !== undefined && this.#byName.size < NAMES_MAX) this.#byName.set(name, chain);
    return chain;
  }

  #open(gid: string, source: UpstreamSource): Upstream | undefined {
    try {
      const endpoint = parseEndpoint(source.url);
      this.#options.dial.check(endpoint.httpOrigin);
      const { label, httpOrigin: origin, path, headers } = endpoint;
      const openSocket = createGuardedSockets(this.#options.dial, origin, TIMEOUTS);
      return new Upstream({
        source,
        label,
        origin,
        path,
        headers,
        openSocket,
        clock: this.clock,
        callsPerKey: this.#options.callsPerKey,
      });
    } catch (error) {
      this.#options.logger.warn({ chain_gid: gid, err: error }, 'failed to use endpoint');
      return undefined;
    }
  }

  #watch(chain: Chain, upstream: Upstream): void {
    const stop = new AbortController();
    this.#watches.set(upstream, stop);
    const { logger: log, healthIntervalMs: intervalMs } = this.#options;
    void watchHealth(chain, upstream, { log, signal: stop.signal, intervalMs });
  }

  #close(chain: Chain, upstream: Upstream): void {
    this.#watches.get(upstream)?.abort();
    this.#watches.delete(upstream);
    chain.outcomes.delete(upstream);
    upstream.close();
  }
}

function keyOf({ url, node, weight, headers, broadcast }: UpstreamSource): string {
  return JSON.stringify([url, node, weight, Object.entries(headers), broadcast]);
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
