// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { waitFor } from '@chainwatch/testing';
import { findOvertakes, type Receiver, type Seen } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

type Key = 'channel' | 'address';
/** What a receiver refuses: nothing, everything, one address, or more than one event at once. */
type Trouble = 'none' | 'all' | 'a0' | 'hangs up' | 'batches';

interface Line {
  readonly id: string;
  readonly kind: 'webhook' | 'http_batch';
  readonly key: Key;
  readonly log: Seen[];
  trouble: Trouble;
}

const LINES = (['webhook', 'http_batch'] as const).flatMap((kind) =>
  (['channel', 'address'] as const).map((key) => ({ kind, key })),
);
const ADDRESSES = ['a0', 'a1', 'a2'];
const TYPE = 'balance.changed';
const PATIENT = { pollMs: 20, scheduleMs: [0, ...Array<number>(500).fill(20)], probeIntervalMs: 20 };

interface Emitted {
  readonly eventId: string;
  readonly address: string;
}

const emit = async (address: string, more: object = {}): Promise<Emitted> => ({
  eventId: await world.emit({ type: TYPE, addresses: [{ address }], ...more }),
  address,
});

async function addLine(
  { kind, key }: { readonly kind: Line['kind']; readonly key: Key },
  ordering = 'strict',
): Promise<Line> {
  const id = randomUUID();
  const config = { event_types: [TYPE], ordering, ordering_key: key, max_events: 5 };
  await world.addChannel(`${receiver.url}?${id}`, { id, kind, config, secrets: ['s'] });
  return { id, kind, key, log: [], trouble: 'none' };
}

/** Answers each line as its trouble is, after a moment. */
function answer(lines: readonly Line[]): void {
  receiver.answer = (req, res) => {
    const { body } = receiver.requests.at(-1)!;
    const line = lines.find(({ id }) => req.url!.endsWith(id))!;
    const events = body
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text) as { event_id: string; data: { addresses: { address: string }[] } });
    const eventIds = events.map(({ event_id: eventId }) => eventId);
    line.log.push({ what: 'attempt', eventIds });
    const isRefused =
      line.trouble === 'all' ||
      (line.trouble === 'batches' && events.length > 1) ||
      events.some(({ data }) => data.addresses[0]!.address === line.trouble);
    setTimeout(() => {
      if (line.trouble === 'hangs up') return res.destroy();
      res.statusCode = isRefused ? 500 : 200;
      if (!isRefused) line.log.push({ what: 'acknowledgement', eventIds });
      return res.end();
    }, events.length * 2);
  };
}

/** What has an order of its own. */
function linesOf({ key }: Pick<Line, 'key'>, emitted: readonly Emitted[]): string[][] {
  const idsOf = (events: readonly Emitted[]): string[] => events.map(({ eventId }) => eventId);
  if (key === 'channel') return [idsOf(emitted)];
  return ADDRESSES.map((address) => idsOf(emitted.filter((one) => one.address === address)));
}

const firsts = ({ log }: Pick<Line, 'log'>): string[] => [
  ...new Set(log.flatMap(({ what, eventIds }) => (what === 'acknowledgement' ? eventIds : []))),
];

type Step =
  | { readonly emit: string }
  | { readonly trouble: Trouble; readonly line: number }
  | { readonly move: true }
  | { readonly archive: number }
  | { readonly again: number }
  | { readonly pauseMs: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ emit: fc.constantFrom(...ADDRESSES) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      trouble: fc.constantFrom<Trouble>('none', 'none', 'all', 'a0', 'hangs up', 'batches'),
      line: fc.nat(LINES.length - 1),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ move: true } as const) },
  { weight: 1, arbitrary: fc.record({ archive: fc.nat(LINES.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ again: fc.nat(LINES.length - 1) }) },
  { weight: 4, arbitrary: fc.record({ pauseMs: fc.nat(60) }) },
);

/** Plays the steps. `owner` is the replica that has the channels: an attempt of the other one goes on. */
async function play(
  steps: readonly Step[],
  lines: readonly Line[],
  owner: { at: number },
): Promise<Emitted[]> {
  const emitted: Emitted[] = [];
  for (const one of steps) {
    if ('emit' in one) emitted.push(await emit(one.emit));
    else if ('trouble' in one) lines[one.line]!.trouble = one.trouble;
    else if ('move' in one) owner.at = 1 - owner.at;
    else if ('pauseMs' in one) await delay(one.pauseMs);
    else if ('archive' in one)
      await world.db.query('UPDATE notification_channels SET is_archived = NOT is_archived WHERE id = $1', [
        lines[one.archive]!.id,
      ]);
    else
      await world.db.query(
        `UPDATE deliveries SET status = 'held', attempt_base = attempt_count, next_attempt_at = now() WHERE id IN (
           SELECT id FROM deliveries WHERE channel_id = $1 AND status = 'delivered' ORDER BY random() LIMIT 1)`,
        [lines[one.again]!.id],
      );
  }
  return emitted;
}

test('no event is attempted while an earlier one of its key is not acknowledged, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 90 }), async (steps) => {
      await world.db.query('DELETE FROM notification_channels');
      const lines: Line[] = [];
      for (const one of LINES) lines.push(await addLine(one));
      answer(lines);
      const owner = { at: 0 };
      const engines = [
        await world.start(PATIENT, {}, { owns: () => owner.at === 0 }),
        await world.start(PATIENT, {}, { owns: () => owner.at === 1 }),
      ];
      const emitted = await play(steps, lines, owner);
      for (const line of lines) line.trouble = 'none';
      await world.db.query(`UPDATE notification_channels SET is_archived = false`);
      for (const { eventId } of emitted) await world.waitForStatus(eventId, 'delivered', 30_000);
      for (const line of lines) {
        expect([line.kind, line.key, findOvertakes(line.log, linesOf(line, emitted))]).toEqual([
          ...[line.kind, line.key],
          [],
        ]);
        for (const ids of linesOf(line, emitted))
          expect(firsts(line).filter((id) => ids.includes(id))).toEqual(ids);
      }
      await Promise.all(engines.map((engine) => engine.stop()));
    }),
    { numRuns: Number(process.env['STRICT_RUNS'] ?? 8), endOnFailure: true },
  );
}, 300_000);

test('without it a retry is overtaken', async () => {
  const line = await addLine({ kind: 'webhook', key: 'channel' }, 'best_effort');
  line.trouble = 'a0';
  answer([line]);
  await world.start({ ...PATIENT, scheduleMs: [0, 60_000] });
  const emitted = [await emit('a0'), await emit('a1')];
  await world.waitForStatus(emitted[1]!.eventId, 'delivered');
  expect(findOvertakes(line.log, linesOf(line, emitted))).toHaveLength(1);
});

test('a batch has what is behind each other, and goes whole or not at all', async () => {
  const line = await addLine({ kind: 'http_batch', key: 'channel' });
  line.trouble = 'all';
  answer([line]);
  const emitted: Emitted[] = [];
  for (let count = 0; count < 12; count += 1) emitted.push(await emit(ADDRESSES[count % 3]!));
  await world.start(PATIENT);
  await waitFor(() => line.log.length >= 2);
  line.trouble = 'none';
  for (const { eventId } of emitted) await world.waitForStatus(eventId, 'delivered');
  expect(findOvertakes(line.log, linesOf(line, emitted))).toEqual([]);
  expect(line.log[0]).toEqual({
    what: 'attempt',
    eventIds: emitted.slice(0, 5).map(({ eventId }) => eventId),
  });
});

test.each<Key>(['channel', 'address'])(
  'a batch that was refused is taken event by event (order of each %s)',
  async (key) => {
    const line = await addLine({ kind: 'http_batch', key });
    line.trouble = 'batches';
    answer([line]);
    const emitted: Emitted[] = [];
    for (let count = 0; count < 12; count += 1) emitted.push(await emit(ADDRESSES[count % 3]!));
    await world.start({ ...PATIENT, scheduleMs: [0, 20, 20] });
    for (const { eventId } of emitted) await world.waitForStatus(eventId, 'delivered');
    expect(findOvertakes(line.log, linesOf(line, emitted))).toEqual([]);
    expect(
      (await world.rows<{ most: number }>('SELECT max(attempt_count) AS most FROM deliveries'))[0],
    ).toEqual({ most: 2 });
  },
);

test('a batch has no more characters than servers take, and a longer event goes alone', async () => {
  const line = await addLine({ kind: 'http_batch', key: 'channel' });
  answer([line]);
  const emitted: Emitted[] = [];
  for (const length of [400_000, 400_000, 400_000, 1_500_000, 10, 10])
    emitted.push(await emit('a0', { transaction: { padding: 'x'.repeat(length) } }));
  await world.start(PATIENT);
  for (const { eventId } of emitted) await world.waitForStatus(eventId, 'delivered');
  const lengths = line.log.flatMap(({ what, eventIds }) => (what === 'attempt' ? [eventIds.length] : []));
  expect(lengths).toEqual([2, 1, 1, 2]);
  expect(firsts(line)).toEqual(emitted.map(({ eventId }) => eventId));
});

test('addresses keep their order when the channel has one order from now on', async () => {
  const line = await addLine({ kind: 'http_batch', key: 'address' });
  line.trouble = 'all';
  answer([line]);
  const emitted: Emitted[] = [];
  for (let count = 0; count < 12; count += 1) emitted.push(await emit(ADDRESSES[count % 2]!));
  const engine = await world.start({ ...PATIENT, scheduleMs: [0, 3_600_000] });
  await waitFor(() => line.log.length >= 1);
  await engine.stop();
  await world.db.query(
    `UPDATE notification_channels SET config = config || '{"ordering_key": "channel", "max_events": 4}', status = 'active', consecutive_failures = 0`,
  );
  await world.db.query(
    `UPDATE deliveries SET status = 'pending', next_attempt_at = now(), attempt_count = 0, attempt_base = 0`,
  );
  let count = 0;
  const { answer: usual } = receiver;
  // Every second request is refused.
  receiver.answer = (req, res) => {
    line.trouble = (count += 1) % 2 === 1 ? 'all' : 'none';
    usual(req, res);
  };
  await world.start(PATIENT);
  for (const { eventId } of emitted) await world.waitForStatus(eventId, 'delivered');
  expect(findOvertakes(line.log, linesOf({ key: 'address' }, emitted))).toEqual([]);
});

test('one event that is refused for ever stops its address alone, also where nothing came in between', async () => {
  const line = await addLine({ kind: 'webhook', key: 'address' });
  line.trouble = 'a0';
  answer([line]);
  await world.start(PATIENT);
  const poison = await emit('a0');
  await waitFor(
    async () =>
      (await world.rows<{ status: string }>('SELECT status FROM notification_channels'))[0]!.status ===
      'failing',
  );
  const others = [await emit('a1'), await emit('a0'), await emit('a1'), await emit('a2')];
  for (const { eventId, address } of others)
    if (address !== 'a0') await world.waitForStatus(eventId, 'delivered');
  line.trouble = 'none';
  for (const { eventId } of [poison, ...others]) await world.waitForStatus(eventId, 'delivered');
  expect(findOvertakes(line.log, linesOf(line, [poison, ...others]))).toEqual([]);
});

describe('an event that has used up its attempts', () => {
  const SHORT = { pollMs: 20, scheduleMs: [0, 30, 30], probeIntervalMs: 30 };

  test('is failed, and the next one of its address goes, where others were delivered meanwhile', async () => {
    const line = await addLine({ kind: 'webhook', key: 'address' });
    line.trouble = 'a0';
    answer([line]);
    await world.start({ ...SHORT, scheduleMs: [0, 30, 60_000] });
    const [poison, next] = [await emit('a0'), await emit('a0')];
    await waitFor(() => line.log.length >= 2, { message: 'two attempts' });
    const other = await emit('a1');
    await world.waitForStatus(other.eventId, 'delivered');
    // The last attempt is due now.
    await waitFor(
      async () =>
        (
          await world.rows(
            'UPDATE deliveries SET next_attempt_at = now() WHERE attempt_count = 2 RETURNING 1',
          )
        ).length > 0,
      { message: 'the second attempt to be recorded' },
    );
    await world.waitForStatus(poison.eventId, 'failed');
    line.trouble = 'none';
    await world.waitForStatus(next.eventId, 'delivered');
    const tried = line.log.findIndex(({ eventIds }) => eventIds.includes(next.eventId));
    expect(line.log.slice(0, tried).filter(({ eventIds }) => eventIds.includes(poison.eventId))).toHaveLength(
      3,
    );
  });

  test('fails a channel in which nothing else was delivered: what is behind it waits, and goes when it is restored', async () => {
    const line = await addLine({ kind: 'webhook', key: 'channel' });
    line.trouble = 'a0';
    answer([line]);
    await world.start(SHORT);
    const emitted = [await emit('a0'), await emit('a1'), await emit('a2')];
    await world.waitForStatus(emitted[0]!.eventId, 'failed');
    for (const { eventId } of emitted.slice(1)) await world.waitForStatus(eventId, 'held');
    expect(await world.rows('SELECT status FROM notification_channels')).toEqual([{ status: 'failed' }]);
    await world.db.query(`UPDATE notification_channels SET status = 'active', consecutive_failures = 0`);
    for (const { eventId } of emitted.slice(1)) await world.waitForStatus(eventId, 'delivered');
    expect(firsts(line)).toEqual(emitted.slice(1).map(({ eventId }) => eventId));
  });
});

test('a change of the order counts for what comes after it', async () => {
  const line = await addLine({ kind: 'webhook', key: 'channel' }, 'best_effort');
  line.trouble = 'a0';
  answer([line]);
  await world.start({ ...PATIENT, scheduleMs: [0, 60_000, 60_000] });
  const before = [await emit('a0'), await emit('a1')];
  await world.waitForStatus(before[1]!.eventId, 'delivered');
  const setOrdering = (ordering: string): Promise<unknown> =>
    world.db.query(
      `UPDATE notification_channels SET config = config || jsonb_build_object('ordering', $1::text)`,
      [ordering],
    );
  await setOrdering('strict');
  // What was stored before holds back nothing, and is tried by its schedule.
  const after = [await emit('a1'), await emit('a0'), await emit('a2')];
  await world.waitForStatus(after[0]!.eventId, 'delivered');
  await waitFor(() => line.log.some(({ eventIds }) => eventIds.includes(after[1]!.eventId)));
  await delay(200);
  expect(findOvertakes(line.log, linesOf(line, after))).toEqual([]);
  expect(line.log.some(({ eventIds }) => eventIds.includes(after[2]!.eventId))).toBe(false);
  await setOrdering('best_effort');
  await world.waitForStatus(after[2]!.eventId, 'delivered');
});
