// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { killWithParent } from '@chainwatch/testing';
import { measureThroughput } from './measure-throughput.ts';
import type { Report } from './report.ts';
import { startRig } from './rig.ts';

const CHAIN = 'eip155:31337';
const ROUNDS = 5;
const ROUND_MS = 4_000;

/** GET /blockchains/{gid} with a key, its limit in Redis and metrics, against an Express handler that answers the same bytes. */
export async function benchGateway(report: Report): Promise<void> {
  const rig = await startRig([]);
  try {
    await rig.call('POST', '/blockchains', { chain_gid: CHAIN });
    const path = `/v1/blockchains/${CHAIN}`;
    const record = await rig.call('GET', path.slice(3));
    const bare = await startBare(record);
    const gateway = {
      port: Number(new URL(rig.apiUrl).port),
      pid: rig.services.pid('api-gateway')!,
      path,
      headers: { 'X-Api-Key': rig.apiKey },
    };
    const plain = { port: bare.port, pid: bare.pid, path, headers: { 'X-Api-Key': rig.apiKey } };
    for (const target of [gateway, plain]) await measure(target);
    const rounds: { gateway: Measured; bare: Measured }[] = [];
    // In turns: what else the machine does falls on both.
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({ bare: await measure(plain), gateway: await measure(gateway) });
    bare.stop();
    const ratio = median(rounds.map((round) => round.gateway.perSecond / round.bare.perSecond));
    const cpuRatio = median(rounds.map((round) => round.bare.cpuUs / round.gateway.cpuUs));
    report.add({
      name: 'authenticated GET /blockchains/{gid}',
      goal: '≥ 0.5 × a bare Express 5 handler that returns the same JSON',
      isMet: ratio >= 0.5,
      measured: `${ratio.toFixed(2)} × bare, ${Math.round(median(rounds.map((round) => round.gateway.perSecond))).toLocaleString('en')} requests/s`,
      detail: `bare ${Math.round(median(rounds.map((round) => round.bare.perSecond))).toLocaleString('en')} requests/s; processor time a request ${median(rounds.map((round) => round.gateway.cpuUs)).toFixed(0)} µs against ${median(rounds.map((round) => round.bare.cpuUs)).toFixed(0)} µs (${cpuRatio.toFixed(2)} ×); medians of ${ROUNDS} rounds in turns, load average ${loadavg()[0]!.toFixed(1)}`,
    });
  } finally {
    await rig.stop();
  }
}

interface Target {
  readonly port: number;
  readonly pid: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Measured {
  readonly perSecond: number;
  /** Of the server's process, all threads, a request. */
  readonly cpuUs: number;
}

async function measure({ pid, ...request }: Target): Promise<Measured> {
  const before = readCpuMs(pid);
  const { count, elapsedMs } = await measureThroughput({ ...request, connections: 32, forMs: ROUND_MS });
  return { perSecond: (count * 1_000) / elapsedMs, cpuUs: ((readCpuMs(pid) - before) * 1_000) / count };
}

/** User and system time (proc(5), fields 14 and 15), in ticks of 10 ms. */
function readCpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function startBare(record: unknown): Promise<{ port: number; pid: number; stop(): void }> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('bare-server.mjs', import.meta.url)), JSON.stringify(record)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' },
    },
  );
  child.once('exit', killWithParent(child.pid!, 'KILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(line.toString()), pid: child.pid!, stop: () => void child.kill('SIGKILL') };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
