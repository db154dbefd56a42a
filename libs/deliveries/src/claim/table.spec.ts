// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { giveWorlds, type World } from '../spec-world.ts';
import { claimDeliveries, claimProbes, findDueChannels } from './table.ts';

let world: World;
giveWorlds((given) => ({ world } = given));

interface Row {
  readonly status: string;
  readonly attempt_count: number;
  readonly is_test: boolean;
  readonly is_historical: boolean;
  readonly waits: boolean;
  readonly last_error: string | null;
  readonly isUnderWay: boolean;
  /** Its channel had a strict order when it was stored. */
  readonly ordering_key: number | null;
}
interface Stored extends Row {
  readonly id: string;
}

const row: fc.Arbitrary<Row> = fc.record({
  status: fc.constantFrom('pending', 'pending', 'held', 'held', 'delivered', 'failed', 'discarded'),
  attempt_count: fc.constantFrom(0, 0, 0, 1, 3),
  is_test: fc.constantFrom(false, false, false, true),
  is_historical: fc.constantFrom(false, false, false, true),
  waits: fc.constantFrom(false, false, true),
  last_error: fc.constantFrom(null, 'status 429', 'internal_error', 'internal_error'),
  isUnderWay: fc.constantFrom(false, false, false, true),
  ordering_key: fc.constantFrom(null, 0, 0, -7, 2 ** 31 - 1),
});
const channel = fc.record({
  status: fc.constantFrom('active', 'active', 'failing', 'failed'),
  is_archived: fc.constantFrom(false, false, true),
  rows: fc.array(row, { maxLength: 14 }),
  first: fc.nat(6),
  behind: fc.nat(3),
  isStrict: fc.boolean(),
  run: fc.constantFrom(1, 1, 3),
});

const isOpen = ({ status }: Row): boolean => status === 'pending' || status === 'held';
const isDue = ({ status, waits }: Row): boolean => status === 'held' || !waits;
const isUntried = (one: Row): boolean => isOpen(one) && one.attempt_count === 0 && !one.is_test;

/** What the owner may start, in words of the rules: the README's, and ADR 9's. */
function expectFirst(rows: readonly Stored[], limit: number): string[] {
  const ids: string[] = [];
  for (const one of rows.filter((each) => isUntried(each) && !each.is_historical && !each.isUnderWay)) {
    if (ids.length === limit) break;
    if (isDue(one)) ids.push(one.id);
    // Nothing passes over one that waits, but for a fault of our own.
    else if (one.last_error !== 'internal_error') break;
  }
  return ids;
}

interface Asked {
  readonly first: number;
  readonly run: number;
}

/** Ids that may go in a strict order, by key: none behind one that waits or is under way, and what was tried alone. */
function listStartable(rows: readonly Stored[], asked: Pick<Asked, 'run'>): string[][] {
  const keys = [...new Set(rows.map(({ ordering_key: key }) => key))];
  return keys.map((key) => {
    const run = key === 0 ? asked.run : 1;
    const line = rows
      .filter((one) => one.ordering_key === key)
      .toSorted((left, right) => Number(left.is_historical) - Number(right.is_historical))
      .slice(0, run);
    const stop = line.findIndex(
      (one, place) =>
        !isDue(one) || one.isUnderWay || (place > 0 && (one.attempt_count > 0 || line[0]!.attempt_count > 0)),
    );
    return line.slice(0, stop < 0 ? run : stop).map(({ id }) => id);
  });
}

/** As many as were asked for, and of each key the first ones. */
function expectOrdered(claimed: readonly string[], rows: readonly Stored[], asked: Asked): void {
  const startable = listStartable(rows, asked);
  expect(claimed).toHaveLength(Math.min(asked.first, startable.flat().length));
  for (const line of startable) {
    const mine = claimed.filter((id) => line.includes(id));
    expect(new Set(mine)).toEqual(new Set(line.slice(0, mine.length)));
  }
  expect(claimed.every((id) => startable.flat().includes(id))).toBe(true);
}

async function store(channelId: string, rows: readonly Row[]): Promise<Stored[]> {
  const stored = rows.map((one, index) => ({
    ...one,
    id: `01900000-0000-7000-8000-${String(index).padStart(4, '0')}${randomUUID().slice(28)}`,
  }));
  for (const one of stored) {
    const { eventId } = await world.insertEvent({});
    await world.db.query(
      `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, attempt_count, is_test, is_historical, next_attempt_at, last_error, ordering_key)
       VALUES ($1, $2, $3, $4, 'transaction.detected', $5, $6, $7, $8, now() + $9 * interval '1 hour', $10, $11)`,
      [
        ...[one.id, world.projectId, channelId, eventId, one.status, one.attempt_count],
        ...[one.is_test, one.is_historical, one.waits ? 1 : -1, one.last_error],
        one.is_test ? null : one.ordering_key,
      ],
    );
  }
  return stored;
}

test('claims of random tables are what the rules say, of each channel, and change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(channel, { minLength: 1, maxLength: 4 }), async (channels) => {
      const made = await Promise.all(
        channels.map(async (one) => {
          const id = await world.addChannel('http://127.0.0.1:9/', {
            config: one.isStrict ? { ordering: 'strict' } : {},
          });
          await world.db.query(
            'UPDATE notification_channels SET status = $2, is_archived = $3 WHERE id = $1',
            [id, one.status, one.is_archived],
          );
          return { ...one, id, rows: await store(id, one.rows) };
        }),
      );
      const before = await world.rows('SELECT * FROM deliveries ORDER BY channel_id, id');
      const jobs = await claimDeliveries(
        world.db,
        made.map(({ id, first, behind, run }) => ({ channelId: id, first, behind, run })),
        made.flatMap(({ rows }) => rows.filter(({ isUnderWay }) => isUnderWay).map(({ id }) => id)),
      );
      const due = new Map((await findDueChannels(world.db, undefined)).map((one) => [one.id, one]));
      for (const { id, rows: all, first, behind, ...one } of made) {
        const claimed = jobs.filter(({ channelId }) => channelId === id);
        const isActive = one.status === 'active' && !one.is_archived;
        const isOrdered = (each: Row): boolean =>
          one.isStrict && isOpen(each) && !each.is_test && each.ordering_key !== null;
        const ordered = all.filter(isOrdered);
        // Of a channel that became strict, what is older than its order.
        const rows = ordered.length === 0 ? all : all.filter((each) => each.id < ordered[0]!.id);
        const mine = claimed.filter(({ orderingKey }) => orderingKey === undefined);
        expectOrdered(
          claimed.filter((job) => !mine.includes(job)).map((job) => job.id),
          isActive ? ordered : [],
          { first, run: one.run },
        );
        const firsts = mine.filter(({ isFirst, isHistorical }) => isFirst && isHistorical !== true);
        expect(firsts.map((job) => job.id)).toEqual(isActive ? expectFirst(rows, first) : []);
        const others = mine.filter((job) => !firsts.includes(job)).map((job) => job.id);
        const free = rows.filter((each) => !each.isUnderWay && isOpen(each) && isDue(each) && !each.is_test);
        const count = (wanted: (each: Row) => boolean): number =>
          Math.min(behind, isActive ? free.filter(wanted).length : 0);
        // As many of each: held, due again, history.
        expect(others).toHaveLength(
          count((each) => each.attempt_count > 0 && each.status === 'held') +
            count((each) => each.attempt_count > 0 && each.status === 'pending') +
            count((each) => each.attempt_count === 0 && each.is_historical),
        );
        expect(others.every((other) => free.some((each) => each.id === other))).toBe(true);
        const open = all.filter(isOpen);
        const pending = open.filter(({ status }) => status === 'pending');
        const said = {
          isDue: isActive && open.some((each) => isDue(each) && !each.is_test),
          hasTests: pending.some((each) => each.is_test && isDue(each)),
          isToBeHeld: !isActive && pending.some((each) => !each.is_test),
        };
        // Held tests do not occur: nobody holds them.
        if (!open.some((each) => each.is_test && each.status === 'held'))
          expect(due.get(id)).toEqual(Object.values(said).some(Boolean) ? { id, ...said } : undefined);
      }
      expect(await world.rows('SELECT * FROM deliveries ORDER BY channel_id, id')).toEqual(before);
      await world.db.query('DELETE FROM notification_channels');
    }),
    { numRuns: Number(process.env.CLAIM_RUNS ?? 40) },
  );
});

describe('the probe of a failing channel', () => {
  const [TRIED, UNTRIED] = ['01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000002'];
  let channelId: string;
  beforeEach(async () => {
    channelId = await world.addChannel('https://1.1.1.1/');
    for (const [place, id] of [TRIED, UNTRIED].entries()) {
      const { eventId } = await world.insertEvent();
      await world.db.query(
        `INSERT INTO deliveries (id, project_id, channel_id, event_id, event_type, status, attempt_count, created_at)
         VALUES ($1, $2, $3, $4, 'transaction.detected', 'held', $5, now() + $6 * interval '1 s')`,
        [id, world.projectId, channelId, eventId, place === 0 ? 5 : 0, place],
      );
    }
  });

  const probe = async (failures: number, config: object = {}): Promise<unknown[]> => {
    await world.db.query(
      `UPDATE notification_channels SET status = 'failing', probe_at = NULL, consecutive_failures = $2, config = config || $3 WHERE id = $1`,
      [channelId, failures, config],
    );
    return (await claimProbes(world.db, 1_000, undefined)).map(({ id, isProbe, isExtra }) => [
      id,
      isProbe,
      isExtra,
    ]);
  };

  test('is the oldest delivery, and after every second failure the oldest that was never tried', async () => {
    expect(await probe(5)).toEqual([[TRIED, true, false]]);
    expect(await probe(6)).toEqual([[UNTRIED, true, true]]);
    await world.db.query('UPDATE deliveries SET attempt_count = 1');
    expect(await probe(6)).toEqual([[TRIED, true, false]]);
  });

  test('is what failed by our own fault only where nothing else waits', async () => {
    await world.db.query(`UPDATE deliveries SET last_error = 'internal_error' WHERE id = $1`, [TRIED]);
    expect(await probe(5)).toEqual([[UNTRIED, true, false]]);
    await world.db.query(`UPDATE deliveries SET last_error = 'internal_error'`);
    expect(await probe(5)).toEqual([[TRIED, true, false]]);
    expect(await probe(6)).toEqual([[TRIED, true, false]]);
  });

  test('is the first of a strict order', async () => {
    await world.db.query('UPDATE deliveries SET ordering_key = 1');
    for (const failures of [5, 6])
      expect(await probe(failures, { ordering: 'strict' })).toEqual([[TRIED, true, false]]);
  });
});
