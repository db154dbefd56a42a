// SPDX-License-Identifier: Apache-2.0
import { startNats, startTcpProxy } from '@chainwatch/testing';
import { measureRevocation, startReplica } from '../../../apps/api-gateway/src/spec-support/replicas.ts';
import { startSpecWorld } from '../../../apps/api-gateway/src/spec-support/spec-world.ts';
import type { Report } from './report.ts';

const runs = Number(process.env.REVOCATION_RUNS ?? 300);
const runsCut = 3;

/** How long three gateways honor a key that one of them revokes, on a real bus and a real PostgreSQL. */
export async function benchRevocation(report: Report): Promise<void> {
  const [world, nats] = await Promise.all([startSpecWorld({ checkReplies: false }), startNats()]);
  const proxy = await startTcpProxy(nats.port);
  const replicas = await Promise.all(
    [nats.url, nats.url, `nats://127.0.0.1:${proxy.port}`].map((url) => startReplica(world, url)),
  );
  try {
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) times.push(...(await measureRevocation(world, replicas, 60_000)));
    times.sort((a, b) => a - b);
    const at = (share: number): string => times[Math.ceil(times.length * share) - 1]!.toFixed(0);
    report.add({
      name: 'revocation of a key, three gateways',
      goal: 'p99 ≤ 1 s',
      isMet: Number(at(0.99)) <= 1_000,
      measured: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, slowest ${at(1)} ms`,
      detail: `${runs} keys, from the request until each of the three had refused it, all asked without a pause meanwhile; one process`,
    });
    proxy.cut();
    const cut: number[] = [];
    for (let run = 0; run < runsCut; run += 1)
      cut.push(Math.max(...(await measureRevocation(world, replicas, 60_000))));
    report.add({
      name: 'revocation of a key, one of three gateways cut off from the bus',
      goal: '≤ 10 s',
      isMet: Math.max(...cut) <= 10_000,
      measured: `slowest ${(Math.max(...cut) / 1_000).toFixed(1)} s`,
      detail: `${runsCut} keys: the cache of the one that hears nothing lapses 10 s after it looked the key up`,
    });
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await proxy.stop();
    await Promise.all([nats.stop(), world.stop()]);
  }
}
