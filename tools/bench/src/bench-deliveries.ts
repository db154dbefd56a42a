// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { loadExpressions } from '@chainwatch/channels';
import type { EventEnvelope } from '@chainwatch/events';
import { EXPRESSION_CASES, makeEvent } from '../../acceptance/src/deliveries/expression-cases.ts';
import type { MadeEvent } from '../../acceptance/src/deliveries/event-source.ts';
import { Random } from '../../acceptance/src/random.ts';
import { parentOf, processorTimeMs } from './deliveries/processor-time.ts';
import { SECRET, startDeliveryRig, type DeliveryRig } from './deliveries/rig.ts';
import type { Report } from './report.ts';
import { waitUntil } from './rig.ts';

const CHANNELS = 200;
/** Of each of the two isolation runs; 100,000 for the proof of the issue. */
const ISOLATION_EVENTS = Number(process.env.DELIVERY_EVENTS ?? 20_000);
const RATE = 500;
/** Events of one commit. */
const TOGETHER = 10;

/** Deliveries: how many a second, how soon, what bad receivers do to good ones, and what a million that wait cost. */
export async function benchDeliveries(report: Report): Promise<void> {
  const parts = (
    process.env.DELIVERY_PARTS ?? 'throughput,replicas,latency,isolation,held,expressions'
  ).split(',');
  const measures = {
    throughput: measureThroughput,
    replicas: measureReplicas,
    latency: measureLatency,
    isolation: measureIsolation,
    held: measureHeld,
  } as const;
  if (parts.includes('expressions')) await measureExpressions(report);
  for (const [name, measure] of Object.entries(measures)) {
    if (!parts.includes(name)) continue;
    const rig = await startDeliveryRig();
    try {
      await measure(rig, report);
    } catch (error) {
      const { rows } = await rig.db.query(
        `SELECT d.status, count(*), (SELECT count(*) FROM delivery_attempts) AS attempts, max(d.attempt_count) AS most, min(last_error) AS error FROM deliveries d GROUP BY 1`,
      );
      throw new Error(
        `${String(error)}: ${JSON.stringify(rows)}\n${rig.services.output.slice(-20).join('\n')}`,
        { cause: error },
      );
    } finally {
      await rig.stop();
    }
  }
}

async function measureThroughput(rig: DeliveryRig, report: Report): Promise<void> {
  const count = Number(process.env.DELIVERY_COUNT ?? 20_000);
  const projectIds = await rig.addProjects(Array.from({ length: CHANNELS }, () => '/ok'));
  await rig.services.start(['notifier']);
  await deliver(rig, await rig.source.commit(projectIds, 2_000));
  await waitUntil('every attempt to be written', {
    timeoutMs: 60_000,
    done: async () => (await countAttempts(rig)) >= 2_000,
    everyMs: 50,
  });
  const made = await rig.source.commit(projectIds, count, true);
  const body = JSON.stringify(made[0]!.event);
  const before = await countAttempts(rig);
  await rig.source.release();
  const spentBefore = await readProcessorTimes(rig);
  const started = performance.now();
  await deliver(rig, made);
  await waitUntil('every attempt to be written', {
    timeoutMs: 120_000,
    done: async () => (await countAttempts(rig)) - before >= count,
    everyMs: 50,
  });
  const perSecond = count / ((performance.now() - started) / 1_000);
  const spent = await readProcessorTimes(rig);
  const each = (name: keyof typeof spent): string =>
    ((1_000 * (spent[name] - spentBefore[name])) / count).toFixed(0);
  await rig.services.stop();
  const floorMs = await runFloor(`${rig.sink.url}/floor`, count, body);
  const floor = count / (floorMs / 1_000);
  report.add({
    name: 'durable deliveries, 200 channels',
    goal: '≥ 1,500/s',
    isMet: perSecond >= 1_500,
    measured: `${perSecond.toFixed(0)}/s, ${(perSecond / floor).toFixed(2)} × the bare loop`,
    detail: `${count} deliveries of ${body.length} bytes, events from the bus, one notifier, every attempt row committed; the bare loop makes ${floor.toFixed(0)}/s; processor time a delivery: notifier ${each('notifier')} µs, PostgreSQL ${each('postgres')} µs, receiver and publisher ${each('bench')} µs; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

/** Every notifier schedules every event, and sends those of its own channels: what a second one adds, by processor time. */
async function measureReplicas(rig: DeliveryRig, report: Report): Promise<void> {
  const count = Number(process.env.DELIVERY_COUNT ?? 20_000);
  const projectIds = await rig.addProjects(Array.from({ length: CHANNELS }, () => '/ok'));
  const names = ['notifier', 'notifier-2'] as const;
  const micros: number[] = [];
  for (const [others, name] of names.entries()) {
    await rig.services.start([name]);
    await waitUntil('the channels to be shared', {
      timeoutMs: 60_000,
      done: () => isShared(rig, others + 1),
    });
    await deliver(rig, await rig.source.commit(projectIds, 4_000));
    const made = await rig.source.commit(projectIds, count, true);
    await rig.source.release();
    const spent = (): number =>
      names.slice(0, others + 1).reduce((sum, each) => sum + processorTimeMs(rig.services.pid(each)!), 0);
    const before = spent();
    await deliver(rig, made);
    micros.push((1_000 * (spent() - before)) / count);
  }
  await rig.services.stop();
  const [one, two] = micros as [number, number];
  report.add({
    name: 'two notifiers, by processor time',
    goal: '≥ 1.6 × one',
    isMet: (2 * one) / two >= 1.6,
    measured: `${((2 * one) / two).toFixed(2)} × one`,
    detail: `${count} deliveries over ${CHANNELS} channels without expressions: ${one.toFixed(0)} µs of one notifier for each, ${two.toFixed(0)} µs of two together; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

/** What one expression costs for one event, its parsing shared by the hundred: they are those of the soak. */
async function measureExpressions(report: Report): Promise<void> {
  const { compileExpression } = await loadExpressions();
  const expressions = EXPRESSION_CASES.map(({ expression }) => compileExpression(expression));
  const random = new Random(1);
  const payloads = Array.from({ length: 4_000 }, (_, place) =>
    JSON.stringify(makeEvent(random, randomUUID(), place + 1)),
  );
  const judgeAll = (some: readonly string[]): number => {
    let count = 0;
    for (const payload of some) {
      const event = JSON.parse(payload) as EventEnvelope;
      for (const expression of expressions) if (expression.judge(event).matches) count += 1;
    }
    return count;
  };
  judgeAll(payloads.slice(0, 1_000));
  const before = process.cpuUsage();
  const matches = judgeAll(payloads);
  const { user, system } = process.cpuUsage(before);
  const micros = (user + system) / (payloads.length * expressions.length);
  report.add({
    name: 'an expression, an event',
    goal: '≤ 5 µs',
    isMet: micros <= 5,
    measured: `${micros.toFixed(2)} µs of processor time`,
    detail: `${payloads.length} events by ${expressions.length} expressions, ${matches} matches; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

/** Whether each of so many owners has its part of the channels. */
async function isShared({ db }: DeliveryRig, owners: number): Promise<boolean> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM owners WHERE kind = 'channels' AND owner IS NOT NULL GROUP BY owner`,
  );
  return (
    rows.length === owners &&
    rows.reduce((sum, { count }) => sum + count, 0) === 32 &&
    rows.every(({ count }) => count >= Math.floor(32 / owners) - 1)
  );
}

async function measureLatency(rig: DeliveryRig, report: Report): Promise<void> {
  const projectIds = await rig.addProjects(Array.from({ length: CHANNELS }, () => '/ok'));
  await rig.services.start(['notifier']);
  await deliver(rig, await rig.source.commit(projectIds, 2_000));
  const latencies = await pace(rig, { projectIds, count: 10_000, counts: () => true });
  report.add({
    name: 'committed event → first byte at the receiver',
    goal: 'p50 ≤ 10 ms, p99 ≤ 100 ms at 500 events/s',
    isMet: at(latencies, 0.5) <= 10 && at(latencies, 0.99) <= 100,
    measured: `p50 ${at(latencies, 0.5).toFixed(1)} ms, p99 ${at(latencies, 0.99).toFixed(1)} ms`,
    detail: `${latencies.length} events at ${RATE}/s over ${CHANNELS} channels; p90 ${at(latencies, 0.9).toFixed(1)} ms, slowest ${at(latencies, 1).toFixed(0)} ms; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

/** Both runs bring the same events to the same channels; in the first one every receiver answers, in the second one most do not. */
async function measureIsolation(rig: DeliveryRig, report: Report): Promise<void> {
  const paths = Array.from({ length: CHANNELS }, (_, index) =>
    index < 180 ? '/hang' : index < 184 ? '/random' : index < 185 ? '/gone' : '/ok',
  );
  const projectIds = await rig.addProjects(paths);
  const healthy = new Set(projectIds.filter((_, index) => paths[index] === '/ok'));
  await rig.services.start(['notifier']);
  rig.sink.isWellBehaved = true;
  await deliver(rig, await rig.source.commit([...healthy], 1_000));
  const run = async (isWellBehaved: boolean): Promise<{ latencies: number[]; perSecond: number }> => {
    rig.sink.isWellBehaved = isWellBehaved;
    const started = performance.now();
    const latencies = await pace(rig, {
      projectIds,
      count: ISOLATION_EVENTS,
      counts: (projectId) => healthy.has(projectId),
    });
    return { latencies, perSecond: latencies.length / ((performance.now() - started) / 1_000) };
  };
  const alone = await run(true);
  const among = await run(false);
  report.add({
    name: 'healthy channels beside bad ones',
    goal: 'p99 grows by ≤ 10 %, throughput ≥ 95 %',
    isMet:
      at(among.latencies, 0.99) <= 1.1 * at(alone.latencies, 0.99) &&
      among.perSecond >= 0.95 * alone.perSecond,
    measured: `p99 ${at(alone.latencies, 0.99).toFixed(1)} → ${at(among.latencies, 0.99).toFixed(1)} ms (${((at(among.latencies, 0.99) / at(alone.latencies, 0.99) - 1) * 100).toFixed(0)} %), throughput ${((100 * among.perSecond) / alone.perSecond).toFixed(1)} %`,
    detail: `${ISOLATION_EVENTS} events at ${RATE}/s to ${CHANNELS} channels, first all good, then 180 hang for 10 s, 4 answer 500 at random, 1 answers 410; 15 healthy ones, ${alone.latencies.length} deliveries in each run; p50 ${at(alone.latencies, 0.5).toFixed(1)} → ${at(among.latencies, 0.5).toFixed(1)} ms; load average ${loadavg()[0]!.toFixed(1)}`,
  });
}

/** A million deliveries that wait for channels that were just restored: the notifier starts, and works them off. */
async function measureHeld(rig: DeliveryRig, report: Report): Promise<void> {
  const projectId = await rig.addProject(Array.from({ length: CHANNELS }, () => '/ok'));
  await rig.source.commit([projectId], 1_000_000 / CHANNELS);
  await rig.db.query('TRUNCATE undispatched_events');
  await rig.db.query(
    `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) SELECT e.project_id, c.id, e.event_id, e.type, 'held' FROM event_log e JOIN notification_channels c ON c.project_id = e.project_id`,
  );
  await rig.db.query('ANALYZE');
  // Bundled before the clock starts.
  await rig.services.start(['notifier']);
  await rig.services.kill('notifier');
  const started = performance.now();
  await rig.services.start(['notifier']);
  const readyMs = performance.now() - started;
  let rssMax = 0;
  for (let look = 0; look < 60; look += 1) {
    rssMax = Math.max(rssMax, readRss(rig.services.pid('notifier')!));
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  report.add({
    name: '1 million held deliveries',
    goal: 'RSS ≤ 300 MB, ready ≤ 2 s after start',
    isMet: rssMax <= 300e6 && readyMs <= 2_000,
    measured: `${(rssMax / 1e6).toFixed(0)} MB at most, ready after ${(readyMs / 1_000).toFixed(2)} s`,
    detail: `of 200 channels that were just restored; ${rig.sink.requestCount} of them delivered within 30 s of the start`,
  });
}

/** Publishes as fast as the bus takes it, and waits until everything has arrived. */
async function deliver(rig: DeliveryRig, made: readonly MadeEvent[]): Promise<void> {
  for (let at = 0; at < made.length; at += 500)
    await Promise.all(made.slice(at, at + 500).map((event) => rig.source.publish(event)));
  await waitUntil('every event to arrive', {
    timeoutMs: 180_000,
    done: async () => made.every(({ eventId }) => rig.sink.arrivals.has(eventId)),
    everyMs: 50,
  });
}

/**
 * Commits and publishes events at the rate, some at a time, as blocks bring them, and tells the sorted times from the commit
 * to the receiver once all of it has arrived.
 */
async function pace(
  rig: DeliveryRig,
  {
    projectIds,
    count,
    counts,
  }: {
    readonly projectIds: readonly string[];
    readonly count: number;
    readonly counts: (projectId: string) => boolean;
  },
): Promise<number[]> {
  const committedAt = new Map<string, number>();
  const started = performance.now();
  for (let index = 0; index < count; index += TOGETHER) {
    const waitMs = started + (index * 1_000) / RATE - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const made = await rig.source.commit(projectIds, TOGETHER);
    const atMs = performance.now();
    for (const event of made) {
      if (counts(event.projectId)) committedAt.set(event.eventId, atMs);
      // What the bus does not take is found in the table, late.
      rig.source.publish(event).catch(() => undefined);
    }
  }
  await waitUntil('every event to arrive', {
    timeoutMs: 180_000,
    done: async () => [...committedAt.keys()].every((eventId) => rig.sink.arrivals.has(eventId)),
    everyMs: 50,
  });
  return [...committedAt]
    .map(([eventId, atMs]) => rig.sink.arrivals.get(eventId)! - atMs)
    .sort((a, b) => a - b);
}

async function readProcessorTimes(
  rig: DeliveryRig,
): Promise<{ notifier: number; postgres: number; bench: number }> {
  const { rows } = await rig.db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const own = process.cpuUsage();
  return {
    notifier: processorTimeMs(rig.services.pid('notifier')!),
    postgres: processorTimeMs(parentOf(rows[0]!.pid)),
    bench: (own.user + own.system) / 1_000,
  };
}

async function countAttempts({ db }: DeliveryRig): Promise<number> {
  return (await db.query<{ count: number }>('SELECT count(*) AS count FROM delivery_attempts')).rows[0]!
    .count;
}

function runFloor(url: string, count: number, body: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      fileURLToPath(new URL('./deliveries/floor.ts', import.meta.url)),
      url,
      String(count),
      SECRET,
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.end(body);
  return new Promise((resolve, reject) =>
    child.once('exit', (code) =>
      code === 0 ? resolve(Number(output)) : reject(new Error(`the bare loop ended with ${code}`)),
    ),
  );
}

function readRss(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
