// SPDX-License-Identifier: Apache-2.0
import { counter, gauge, ok } from '@chainwatch/telemetry';
import type { Checks } from '@chainwatch/telemetry';
import type { ChainDirectory } from './chains/chain-directory.ts';
import type { Chain, Outcome } from './chains/chain.ts';
import { statusOf } from './http/serve-list.ts';

const INTERVAL_MS = 2_000;

const attempts = counter('chainwatch_rpc_upstream_requests_total', {
  description: 'Requests to nodes by outcome',
});
const serving = gauge('chainwatch_rpc_upstream_serving', { description: '1 while a node serves' });
const heads = gauge('chainwatch_rpc_upstream_head_number', {
  description: 'Highest block that a node reported',
});
const inFlight = gauge('chainwatch_rpc_upstream_inflight_requests', { description: 'Requests under way' });

/** Reports what the chains counted to the metrics at intervals. Returns stop. */
export function observeChains(directory: ChainDirectory): () => void {
  const told = new Map<string, Record<Outcome, number>>();
  let known = new Map<string, ReturnType<typeof labelsOf>>();
  const observe = (): void => {
    const before = known;
    known = new Map();
    for (const chain of sidesOf(directory)) {
      for (const upstream of chain.upstreams) {
        const labels = labelsOf(chain, upstream.label);
        const key = Object.values(labels).join(' ');
        known.set(key, labels);
        serving.set(chain.serves(upstream) ? 1 : 0, labels);
        inFlight.set(upstream.inFlight, labels);
        if (upstream.head !== undefined) heads.set(upstream.head.number, labels);
        const counts = chain.outcomes.get(upstream);
        if (counts === undefined) continue;
        const counted = told.get(key);
        for (const [outcome, count] of Object.entries(counts) as [Outcome, number][]) {
          const more = count - (counted?.[outcome] ?? 0);
          if (more > 0) attempts.add(more, { ...labels, outcome });
        }
        told.set(key, { ...counts });
      }
    }
    // A node that was taken away, or whose chain was deactivated, must alarm nobody.
    for (const [key, labels] of before)
      if (!known.has(key)) for (const each of [serving, heads, inFlight]) each.forget(labels);
  };
  const timer = setInterval(observe, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const labelsOf = ({ network, servedPaths }: Chain, upstream: string) => ({
  chain_gid: network.gid,
  upstream,
  interface: servedPaths?.interfaceName ?? 'jsonrpc',
});

/**
 * Reports the state of each chain. A chain never makes this replica unready: another replica would meet the same nodes.
 */
export function checkChains(directory: ChainDirectory): Checks {
  const entries = [...directory.chains].filter(
    ({ upstreams, paths }) => upstreams.length > 0 || (paths?.upstreams.length ?? 0) > 0,
  );
  return Object.fromEntries(
    entries.map((chain) => [chain.network.gid, { ...ok, ...describe(chain), ...describePaths(chain) }]),
  );
}

function describePaths({ paths }: Chain) {
  return paths?.servedPaths && { [paths.servedPaths.interfaceName]: describe(paths) };
}

function describe(chain: Chain) {
  const { blockTime, network } = chain;
  return {
    status: statusOf(chain),
    block_time_ms: blockTime.measuredMs && Math.round(blockTime.measuredMs),
    configured_block_time_ms: network.isLocal === true ? undefined : blockTime.configuredMs,
    upstreams: chain.upstreams.map((upstream) => ({
      label: upstream.label,
      serving: chain.serves(upstream),
      head_number: upstream.head?.number,
      reason: upstream.reason,
    })),
  };
}

/** Each chain and, if it has one, its path interface, which has nodes of its own. */
function sidesOf(directory: ChainDirectory): Chain[] {
  return [...directory.chains].flatMap((chain) =>
    chain.paths === undefined ? [chain] : [chain, chain.paths],
  );
}
