// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';
import type { Report } from '../report.ts';
import { load } from './figures.ts';
import { requestOf, runLoad } from './load.ts';
import { startGateway, startNode, type Gateway } from './targets.ts';

const ROUNDS = 5;
const POLITE_CALLS = 1_000;
const SLOW_CALLS = 400;
const SILENT_CONNECTIONS = 50;
const LARGE_CALLS = 100;
const MIB = 1_048_576;
/** What may be held, and what goes with it. */
const RSS_MIB_MAX = 256 + 64;

interface Greed {
  readonly name: string;
  /** Begins it; resolves, when it is under way, to what ends it. */
  begin(gateway: Gateway): Promise<() => Promise<void>>;
  readonly meanwhileMs: number[];
}

/** What a key of one workspace does to the answers of another's, and to the memory of the gateway (architecture.md, invariant 13). */
export async function benchGreedy(report: Report): Promise<void> {
  const node = await startNode('0');
  const gateway = await startGateway('1', [node]);
  const aloneMs: number[] = [];
  const greeds: readonly Greed[] = [
    { name: `${SLOW_CALLS} slow calls`, begin: beginSlowCalls, meanwhileMs: [] },
    { name: `${SILENT_CONNECTIONS} connections that read nothing`, begin: beginSilence, meanwhileMs: [] },
  ];
  try {
    // The first calls run code that is not compiled yet.
    for (let time = 0; time < 3; time += 1) await callPolitely(gateway);
    const before = gateway.rssBytes();
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, gateway.rssBytes())), 20);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const greed of greeds) {
        aloneMs.push(...(await callPolitely(gateway)));
        const end = await greed.begin(gateway);
        greed.meanwhileMs.push(...(await callPolitely(gateway)));
        await end();
      }
    }
    clearInterval(watch);
    const alone = percentile99(aloneMs);
    const ratios = greeds.map(
      ({ name, meanwhileMs }) =>
        `${name}: ${(percentile99(meanwhileMs) / alone).toFixed(2)} × (${percentile99(meanwhileMs).toFixed(1)} ms)`,
    );
    report.add({
      name: 'RPC gateway: a greedy key',
      goal: `another key's p99 ≤ 2 × what it is alone; RSS ≤ ${RSS_MIB_MAX} MiB above what it was`,
      isMet:
        greeds.every(({ meanwhileMs }) => percentile99(meanwhileMs) <= 2 * alone) &&
        peak - before <= RSS_MIB_MAX * MIB,
      measured: `${ratios.join('; ')}; RSS + ${((peak - before) / MIB).toFixed(0)} MiB`,
      detail: `${POLITE_CALLS} calls of another workspace over 4 connections, p99 alone ${alone.toFixed(1)} ms; ${ROUNDS} interleaved rounds; slow calls take 500 ms; each silent connection asks for ${LARGE_CALLS} replies of 1 MB; RSS ${(before / MIB).toFixed(0)} MiB before; ${load()}`,
    });
  } finally {
    node.stop();
    await gateway.stopAll();
  }
}

async function callPolitely({ port, path, key }: Gateway): Promise<number[]> {
  const request = requestOf(port, {
    path,
    key,
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":[{}]}',
  });
  const times: number[] = [];
  const refused: string[] = [];
  await runLoad({
    port,
    count: POLITE_CALLS,
    connections: 4,
    request: () => request,
    onSample: ({ ms, status, body }) => {
      times.push(ms);
      if (status !== 200 || !body.includes('"result"')) refused.push(`${status} ${body}`);
    },
  });
  if (refused.length > 0)
    throw new Error(
      `expected every polite call to be answered, got ${refused.length} refused: ${refused[0]}`,
    );
  return times;
}

/** As many as that are under way or wait at any time. */
function beginSlowCalls(gateway: Gateway): Promise<() => Promise<void>> {
  const call = requestOf(gateway.port, {
    path: gateway.path,
    key: gateway.otherKey,
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":["slow"]}',
  });
  return openSockets(gateway, SLOW_CALLS, (socket) => {
    socket.on('data', () => socket.write(call));
    socket.write(call);
  });
}

function beginSilence(gateway: Gateway): Promise<() => Promise<void>> {
  const calls = requestOf(gateway.port, {
    path: gateway.path,
    key: gateway.otherKey,
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_estimateGas","params":["large"]}',
  });
  const all = Buffer.concat(Array.from({ length: LARGE_CALLS }, () => calls));
  return openSockets(gateway, SILENT_CONNECTIONS, (socket) => socket.pause().write(all));
}

async function openSockets(
  { port }: Gateway,
  count: number,
  begin: (socket: Socket) => void,
): Promise<() => Promise<void>> {
  const sockets = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1' }, () => resolve(socket)).on('error', reject);
        }),
    ),
  );
  for (const socket of sockets) begin(socket);
  return async () => {
    await Promise.all(
      sockets.map(
        (socket) =>
          new Promise((resolve) => {
            if (socket.closed) resolve(undefined);
            else socket.once('close', resolve).destroy();
          }),
      ),
    );
  };
}

function percentile99(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length * 0.99)]!;
}
