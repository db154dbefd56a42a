// SPDX-License-Identifier: Apache-2.0
import { readSeries } from './handler.ts';
import { startSpecWorld, type SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
let channels: string[];
beforeAll(async () => {
  world = await startSpecWorld();
  channels = [];
  for (const name of ['one', 'two']) {
    const { body } = await world.api.post('/channels').send({ name, url: 'https://1.1.1.1/' }).expect(201);
    channels.push(body.id);
  }
  for (const [unit, ago, count] of [
    ['minute', '2 minutes', 5],
    ['minute', '40 minutes', 7],
    ['minute', '23 hours', 11],
    ['hour', '1 hour', 12],
    ['hour', '3 days', 20],
    ['hour', '29 days', 40],
  ] as const)
    await insert(unit, ago, count);
});
afterAll(() => world.stop());

/** Events of the project, and as many deliveries of each channel, of them the second one's fail. */
async function insert(unit: 'minute' | 'hour', ago: string, count: number): Promise<void> {
  const at = `date_trunc('${unit}', now() - interval '${ago}')`;
  const minutes = unit === 'minute' ? 1 : 60;
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, created_at)
     SELECT gen_random_uuid(), $1, NULL, 'transaction.detected', NULL, 'tx.detected', '{}', ${at} FROM generate_series(1, $2::int)`,
    [world.project.projectId, count],
  );
  for (const [index, id] of channels.entries())
    await world.db.query(`INSERT INTO channel_activity VALUES ($1, $2, ${at}, $3, $4, $5, $6)`, [
      ...[id, minutes, index === 0 ? count : 0, index === 0 ? 0 : count],
      ...[count * 40, [0, 0, 0, 0, 0, count, ...new Array<number>(9).fill(0)]],
    ]);
}

const read = async (query: string, key = world.project.keys.api) =>
  (await world.send('get', `/v1/stats/series${query}`, key).expect(200)).body;

interface Point {
  readonly at: string;
  readonly events: number | null;
  readonly delivered: number | null;
  readonly failed_attempts: number | null;
}
const sum = (points: readonly Point[], name: 'events' | 'delivered' | 'failed_attempts'): number =>
  points.reduce((total, point) => total + point[name]!, 0);

it.each([
  ['1h', 60, 60, 12, 12],
  ['24h', 96, 900, 35, 23],
  ['7d', 84, 7_200, 55, 32],
  ['30d', 60, 43_200, 95, 72],
])('has all points of %s, of one length and end to end', async (period, count, step, events, attempts) => {
  const series = await read(`?period=${period}`);
  expect(series).toMatchObject({ period, channel_id: null, step_seconds: step });
  const times = series.points.map(({ at }: Point) => Date.parse(at));
  expect(times).toEqual(Array.from({ length: count }, (_, index) => times[0] + index * step * 1_000));
  expect(times[0] % (step * 1_000)).toBe(0);
  const age = Date.now() - times.at(-1);
  expect(age >= 0 && age < step * 1_000 + 5_000).toBe(true);
  expect(
    ['events', 'delivered', 'failed_attempts'].map((name) => sum(series.points, name as 'events')),
  ).toEqual([events, attempts, attempts]);
});

it('tells success rate and latency of a point, and neither of an empty one', async () => {
  const { points } = await read('');
  const filled = points.filter(({ delivered }: Point) => delivered! > 0);
  expect(filled[0]).toMatchObject({ success_rate: 0.5, latency: { mean_ms: 40, p95_ms: 50 } });
  const empty = points.find(({ delivered }: Point) => delivered === 0);
  expect(empty).toMatchObject({ events: 0, failed_attempts: 0, success_rate: null, latency: null });
});

it('tells the deliveries of one channel', async () => {
  const { points, channel_id: id } = await read(`?period=7d&channel_id=${channels[1]}`);
  expect(id).toBe(channels[1]);
  expect([sum(points, 'delivered'), sum(points, 'failed_attempts')]).toEqual([0, 32]);
  expect(points.map(({ events }: Point) => events)).toEqual(new Array(84).fill(null));
});

it('shows nothing of another project, nor what the key may not read', async () => {
  const other = world.otherProject.keys.api;
  const { points } = await read('?period=30d', other);
  expect([sum(points, 'events'), sum(points, 'delivered')]).toEqual([0, 0]);
  await world.send('get', `/v1/stats/series?channel_id=${channels[0]}`, other).expect(404);
  const { body } = await world.management
    .post('/management/keys')
    .send({ type: 'api', name: 'e', project_id: world.project.projectId, permissions: ['api:event:read'] })
    .expect(201);
  const seen = await read('?period=1h', body.key);
  expect(sum(seen.points, 'events')).toBe(12);
  expect(seen.points[0]).toMatchObject({
    delivered: null,
    failed_attempts: null,
    success_rate: null,
    latency: null,
  });
});

it.each([
  ['?period=1y', 'period'],
  ['?channel_id=x', 'channel_id'],
  ['?since=1', 'since'],
])('names the wrong member of %s', async (query, name) => {
  const { body } = await world.api.get(`/stats/series${query}`).expect(400);
  expect(JSON.stringify(body.errors ?? body)).toContain(name);
});

it('counts no more events than a page may ask for', async () => {
  const asked = {
    principal: { projectId: world.project.projectId, permissions: [] },
    period: '30d',
    channelId: undefined,
  } as const;
  const [all, none] = [await readSeries(world.db, asked), await readSeries(world.db, asked, 10)];
  expect(sum(all.points as unknown as Point[], 'events')).toBeGreaterThan(10);
  expect(none.points.every(({ events }) => events === null)).toBe(true);
});
