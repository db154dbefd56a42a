// SPDX-License-Identifier: Apache-2.0
import type { Report } from '../report.ts';
import { load, median } from './figures.ts';
import { requestOf, runLoad, type Sample } from './load.ts';
import { startGateway, startNode, type BenchNode } from './targets.ts';

const headCall = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
const readCall = '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{}]}';

/** `none` tells what the machine does to latencies by itself. */
type Fault = 'none' | 'kill' | 'hang' | 'lag' | '429' | 'drip' | 'wrong-chain';

/** What the goal allows. */
const EXTRA_MS_MAX: Partial<Record<Fault, number>> = { kill: 50, hang: 250 };

/** One of three nodes fails under load, in each of the ways that nodes fail. */
export async function benchFailures(report: Report): Promise<void> {
  const results: string[] = [];
  let isFine = true;
  for (const fault of ['none', 'kill', 'hang', 'lag', '429', 'drip', 'wrong-chain'] as const) {
    const { errors, backwards, extraMs } = await measureFault(fault);
    isFine &&= errors === 0 && backwards === 0 && extraMs <= (EXTRA_MS_MAX[fault] ?? Infinity);
    results.push(`${fault}: ${errors} errors, ${backwards} backward, worst extra ${extraMs.toFixed(0)} ms`);
  }
  report.add({
    name: 'RPC gateway: one of three nodes fails',
    goal: '0 client errors; worst extra 50 ms (kill), 250 ms (hang); 0 backward heads',
    isMet: isFine,
    measured: `${isFine ? '0 errors, 0 backward heads' : 'not reached'}; ${results.join('; ')}`,
    detail: `eth_blockNumber and a read in turn over 8 connections for 5 s, cache off; the node fails after 2 s; extra of any call that was under way then or came later, over the median; none: nothing fails; ${load()}`,
  });
  await measureHedging(report);
}

async function measureFault(fault: Fault) {
  const nodes = await Promise.all([startNode('0'), startNode('0'), startNode('0')]);
  const gateway = await startGateway('1', nodes, { RPC_CACHE: 'false' });
  try {
    const calls = [headCall, readCall].map((body) =>
      requestOf(gateway.port, { path: gateway.path, key: gateway.key, body }),
    );
    const samples: Sample[] = [];
    let failedAt = 0;
    const failing = new Promise((resolve) => setTimeout(resolve, 2_000)).then(() => {
      failedAt = performance.now();
      return inflict(nodes[0]!, fault);
    });
    const until = performance.now() + 5_000;
    let index = 0;
    const run = async (): Promise<void> => {
      // One connection each: its answers are in the order of its calls.
      while (performance.now() < until) {
        await runLoad({
          port: gateway.port,
          count: 50,
          connections: 1,
          request: () => calls[index++ % 2]!,
          onSample: (sample) => samples.push(sample),
        });
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await Promise.all([failing, ...Array.from({ length: 8 }, run)]);
    const errors = samples.filter(({ status, body }) => status !== 200 || !body.includes('"result"')).length;
    // The first calls of a process look its key up and run code that was never run: no fault of a node.
    const worstMs = Math.max(
      ...samples.filter(({ startedAt, ms }) => startedAt + ms > failedAt).map(({ ms }) => ms),
    );
    return {
      errors,
      backwards: countBackwards(samples),
      extraMs: Math.max(0, worstMs - median(samples.map(({ ms }) => ms))),
    };
  } finally {
    for (const node of nodes) node.child.kill('SIGCONT');
    for (const node of nodes) node.stop();
    await gateway.stopAll();
  }
}

async function inflict(node: BenchNode, fault: Fault): Promise<void> {
  if (fault === 'none') return;
  if (fault === 'kill') node.stop();
  else if (fault === 'hang') node.child.kill('SIGSTOP');
  else await node.control({ mode: fault });
}

/** An answer may not tell a lower head than one that had arrived before its call was sent. */
function countBackwards(samples: readonly Sample[]): number {
  const heads = samples.flatMap(({ body, startedAt, ms }) => {
    const head = /"result":"(0x[0-9a-f]{1,6})"/.exec(body)?.[1];
    return head === undefined ? [] : [{ startedAt, endedAt: startedAt + ms, head: Number(head) }];
  });
  const byEnd = [...heads].sort((one, other) => one.endedAt - other.endedAt);
  const byStart = [...heads].sort((one, other) => one.startedAt - other.startedAt);
  let known = -1;
  let next = 0;
  let count = 0;
  for (const { startedAt, head } of byStart) {
    while (next < byEnd.length && byEnd[next]!.endedAt < startedAt)
      known = Math.max(known, byEnd[next++]!.head);
    if (head < known) count += 1;
  }
  return count;
}

async function measureHedging(report: Report): Promise<void> {
  const nodes = await Promise.all([startNode('0'), startNode('0')]);
  const gateway = await startGateway('1', nodes, { RPC_CACHE: 'false' });
  try {
    const reads = 6_000;
    const request = requestOf(gateway.port, { path: gateway.path, key: gateway.key, body: readCall });
    const times: number[] = [];
    await runLoad({ port: gateway.port, count: 500, connections: 8, request: () => request });
    for (const node of nodes) await node.control({ tail: 0.02 });
    await runLoad({
      port: gateway.port,
      count: reads,
      connections: 8,
      request: () => request,
      onSample: ({ ms }) => times.push(ms),
    });
    const seen = (await Promise.all(nodes.map((node) => node.control({})))).reduce(
      (sum, { seen: count }) => sum + count,
      0,
    );
    const write = (index: number): Buffer =>
      requestOf(gateway.port, {
        path: gateway.path,
        key: gateway.key,
        body: `{"jsonrpc":"2.0","id":${index},"method":"eth_sendRawTransaction","params":["0x${index.toString(16).padStart(8, '0')}"]}`,
      });
    await runLoad({ port: gateway.port, count: 500, connections: 8, request: write });
    const writes = (await Promise.all(nodes.map((node) => node.control({})))).flatMap(
      ({ writes: list }) => list,
    );
    const slow = times.filter((ms) => ms >= 290).length;
    report.add({
      name: 'RPC gateway: hedging',
      goal: '≤ 5 % extra calls, 0 duplicate writes',
      isMet: seen - reads <= 0.05 * reads && writes.length === new Set(writes).size,
      measured: `${(((seen - reads) / reads) * 100).toFixed(1)} % extra calls, ${writes.length - new Set(writes).size} duplicate writes`,
      detail: `${reads} reads and 500 writes, two nodes that take 300 ms for one call in fifty; ${slow} reads took that long; ${load()}`,
    });
  } finally {
    for (const node of nodes) node.stop();
    await gateway.stopAll();
  }
}
