// SPDX-License-Identifier: Apache-2.0
import type { Report } from '../report.ts';
import { benchFailures } from './bench-failures.ts';
import { benchGreedy } from './bench-greedy.ts';
import { benchIdentity } from './bench-identity.ts';
import { load, median } from './figures.ts';
import { requestOf, runLoad } from './load.ts';
import {
  startGateway,
  startNginx,
  startNode,
  startPlainProxy,
  type Gateway,
  type Target,
} from './targets.ts';

const ROUNDS = 7;
// Small ones: the first thousands of large replies are passed by code that is not compiled yet.
const LARGE_ROUNDS = 25;
const CONNECTIONS = 32;
const passThrough = '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{}]}';
const cachedCall = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
const largeCall = '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":["large"]}';
const hugeCall = '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":["huge"]}';

/** The table "Figures to reach" of the RPC gateway: load and nodes on core 0, what is measured on core 1. */
export async function benchRpc(report: Report): Promise<void> {
  const node = await startNode('0');
  const gateway = await startGateway('1', [node]);
  const others = await Promise.all([startNginx('1', node.port), startPlainProxy('1', node.port)]);
  try {
    await measureCalls(report, gateway, others);
    await measureLarge(report, gateway, others[0]!);
  } finally {
    for (const target of [node, ...others]) target.stop();
    await gateway.stopAll();
  }
  await benchFailures(report);
  await benchGreedy(report);
  await benchIdentity(report);
}

interface Lane {
  readonly target: Target;
  readonly body: string;
  readonly micros: number[];
}

async function measureCalls(
  report: Report,
  gateway: Gateway,
  [nginx, plain]: readonly Target[],
): Promise<void> {
  const lanes: Lane[] = [
    { target: gateway, body: passThrough, micros: [] },
    { target: gateway, body: cachedCall, micros: [] },
    { target: nginx!, body: passThrough, micros: [] },
    { target: plain!, body: passThrough, micros: [] },
  ];
  await measureRounds(lanes, { key: gateway.key, count: 10_000, rounds: ROUNDS });
  const [own, hit, peer, bare] = lanes.map(({ micros }) => median(micros)) as [
    number,
    number,
    number,
    number,
  ];
  report.add({
    name: 'RPC gateway: pass-through',
    goal: '≥ 0.65 × a bare Node proxy per core',
    isMet: bare / own >= 0.65,
    measured: `${own.toFixed(1)} µs; ${(peer / own).toFixed(2)} × nginx; ${(bare / own).toFixed(2)} × bare Node proxy`,
    detail: `with key, permission, rate limit and metrics; nginx ${peer.toFixed(1)} µs, plain proxy ${bare.toFixed(1)} µs; medians of ${ROUNDS} interleaved rounds of 10,000 over ${CONNECTIONS} connections; ${load()}`,
  });
  report.add({
    name: 'RPC gateway: cached hit',
    goal: '≥ 2.5 × own pass-through',
    isMet: own / hit >= 2.5,
    measured: `${hit.toFixed(1)} µs; ${(own / hit).toFixed(2)} × pass-through`,
    detail: `eth_chainId; the same rounds; ${load()}`,
  });
}

async function measureLarge(report: Report, gateway: Gateway, nginx: Target): Promise<void> {
  const lanes: Lane[] = [gateway, nginx].map((target) => ({ target, body: largeCall, micros: [] }));
  await measureRounds(lanes, { key: gateway.key, count: 200, rounds: LARGE_ROUNDS });
  const [own, peer] = lanes.map(({ micros }) => median(micros)) as [number, number];
  const before = gateway.rssBytes();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, gateway.rssBytes())), 5);
  await runLoad({
    port: gateway.port,
    count: 1,
    connections: 1,
    request: () => requestOf(gateway.port, { path: gateway.path, key: gateway.key, body: hugeCall }),
  });
  clearInterval(watch);
  report.add({
    name: 'RPC gateway: large replies',
    goal: '1 MB: ≤ 1.5 × nginx CPU; 100 MB grows RSS by ≤ 16 MB',
    isMet: own / peer <= 1.5 && peak - before <= 16e6,
    measured: `${(own / peer).toFixed(2)} × nginx; ${((peak - before) / 1e6).toFixed(1)} MB`,
    detail: `1 MB in ${(own / 1_000).toFixed(2)} ms, nginx ${(peer / 1_000).toFixed(2)} ms of CPU, medians of ${LARGE_ROUNDS} interleaved rounds of 200; RSS ${(before / 1e6).toFixed(0)} MB before; ${load()}`,
  });
}

async function measureRounds(
  lanes: readonly Lane[],
  { key, count, rounds }: { readonly key: string; readonly count: number; readonly rounds: number },
): Promise<void> {
  for (let round = -1; round < rounds; round += 1) {
    for (const { target, body, micros } of lanes) {
      const request = requestOf(target.port, { path: target.path, key, body });
      const before = target.cpuSeconds();
      await runLoad({
        port: target.port,
        count,
        connections: Math.min(CONNECTIONS, count),
        request: () => request,
      });
      // The first round warms up.
      if (round >= 0) micros.push(((target.cpuSeconds() - before) / count) * 1e6);
    }
  }
}
