// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { matchesFilters, toEventFilters } from '../../events/event-filters.ts';
import { readPositions } from '../../events/read-positions.ts';
import { givePositions, insertEvent } from '../../spec-support/positions.ts';
import { startSpecWorld } from '../../spec-support/spec-world.ts';
import type { SpecWorld } from '../../spec-support/spec-world.ts';

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
}, 60_000);
afterAll(() => world.stop());
afterEach(async () => {
  // In steps: a slow machine removes few rows within the time of one query.
  const DELETE = 'DELETE FROM event_log WHERE event_id IN (SELECT event_id FROM event_log LIMIT 5000)';
  while ((await world.db.query(DELETE)).rowCount !== 0);
  await world.db.query('UPDATE project_positions SET last_position = 0, history = position_history()');
});

const insert = (event?: Parameters<typeof insertEvent>[2]): Promise<string> =>
  insertEvent(world.db, world.project.projectId, event);
const give = (): Promise<void> => givePositions(world.db);

async function insertAll(count: number, event?: Parameters<typeof insertEvent>[2]): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await insert(event));
  return ids;
}

it('shows an event once it has its position, which the list by time shows too', async () => {
  const eventId = await insert();
  expect((await world.api.get('/events?after=0').expect(200)).body).toEqual({
    items: [],
    meta: { limit: 20, page: 1, total: 0, total_pages: 0, last_position: 0, has_more: false },
  });
  expect((await world.api.get('/events').expect(200)).body.items).toMatchObject([
    { event_id: eventId, position: null },
  ]);
  await give();
  const { body } = await world.api.get('/events?after=0').expect(200);
  expect(body.items).toMatchObject([{ event_id: eventId, position: 1 }]);
  expect(body.meta).toEqual({
    limit: 20,
    page: 1,
    total: 1,
    total_pages: 1,
    last_position: 1,
    has_more: false,
  });
  expect((await world.api.get('/events').expect(200)).body.items).toMatchObject([
    { event_id: eventId, position: 1 },
  ]);
});

it('reads on without a gap, past what the filters keep back', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 12; index += 1)
    ids.push(await insert({ isTest: index % 4 === 0, chainGid: index % 2 === 0 ? 'eip155:1' : 'eip155:10' }));
  await give();
  const read = async (query: string): Promise<[string[], number[]]> => {
    const seen: string[] = [];
    const positions: number[] = [];
    for (let after = 0; ; ) {
      const { body } = await world.api.get(`/events?after=${after}&limit=3&${query}`).expect(200);
      seen.push(...body.items.map((item: { event_id: string }) => item.event_id));
      expect(body.meta.last_position).toBeGreaterThanOrEqual(after);
      after = body.meta.last_position;
      positions.push(after);
      if (!body.meta.has_more) return [seen, positions];
    }
  };
  expect(await read('')).toEqual([ids.filter((_, index) => index % 4 !== 0), expect.arrayContaining([12])]);
  expect((await read('chain_gids=eip155:10'))[0]).toEqual(ids.filter((_, index) => index % 2 === 1));
  expect((await read('is_test=true'))[0]).toEqual(ids.filter((_, index) => index % 4 === 0));
  expect((await read('types=channel.failed'))[0]).toEqual([]);
});

it.each(['', 'damaged', '{"event_id":', '[]', 'null', '"text"'])(
  'leaves out an event whose stored payload is %j, and shows those around it',
  async (payload) => {
    const [one, damaged, two] = [await insert(), await insert(), await insert()];
    await world.db.query('UPDATE event_log SET payload = $2 WHERE event_id = $1', [damaged, payload]);
    await give();
    const idsOf = (body: { items: { event_id: string }[] }) => body.items.map((item) => item.event_id);
    const listed = (await world.api.get('/events').expect(200)).body;
    expect([idsOf(listed), listed.meta.total]).toEqual([[two, one], 3]);
    const read = (await world.api.get('/events?after=0').expect(200)).body;
    expect([idsOf(read), read.meta.last_position, read.meta.has_more]).toEqual([[one, two], 3, false]);
    const first = (await world.api.get('/events?after=1&limit=1').expect(200)).body;
    expect([idsOf(first), first.meta.last_position, first.meta.has_more]).toEqual([[], 2, true]);
  },
);

it('looks at a bounded number of positions, however few of their events it shows', async () => {
  const { projectId } = world.project;
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload)
     SELECT gen_random_uuid(), $1, 'eip155:1', 'balance.changed', 1, 'balance.changed', '{}' FROM generate_series(1, 2500)`,
    [projectId],
  );
  const wanted = await insert({ chainGid: 'eip155:10' });
  await give();
  const first = (await world.api.get('/events?after=0&chain_gids=eip155:10').expect(200)).body;
  expect([first.items, first.meta.last_position, first.meta.has_more]).toEqual([[], 2_000, true]);
  const second = (await world.api.get('/events?after=2000&chain_gids=eip155:10').expect(200)).body;
  expect([second.items[0].event_id, second.meta.last_position, second.meta.has_more]).toEqual([
    wanted,
    2_501,
    false,
  ]);
});

it('filters in memory as in the database', async () => {
  const transactionIds = [randomUUID(), randomUUID()];
  for (let index = 0; index < 24; index += 1)
    await insert({
      type: ['balance.changed', 'transaction.detected', 'channel.failed'][index % 3]!,
      chainGid: [null, 'eip155:1', 'eip155:10'][Math.floor(index / 3) % 3]!,
      transactionId: [null, ...transactionIds][Math.floor(index / 2) % 3]!,
      isTest: index % 5 === 0,
      daysAgo: index % 7,
    });
  await give();
  const { projectId } = world.project;
  const all = (await readPositions(world.db, { projectId, after: 0, limit: 100 })).events;
  const time = fc.option(
    fc.integer({ min: 0, max: 8 }).map((days) => new Date(Date.now() - days * 86_400_000)),
    { nil: undefined },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        types: fc.option(
          fc.subarray(['balance.changed', 'transaction.detected', 'channel.failed'] as const, {
            minLength: 1,
          }),
          { nil: undefined },
        ),
        chain_gids: fc.option(fc.subarray(['eip155:1', 'eip155:10'], { minLength: 1 }), { nil: undefined }),
        transaction_id: fc.constantFrom(undefined, ...transactionIds),
        is_test: fc.boolean(),
        since: time,
        until: time,
      }),
      async (query) => {
        const filters = toEventFilters(query as Parameters<typeof toEventFilters>[0]);
        const { events } = await readPositions(world.db, { projectId, after: 0, limit: 100, filters });
        expect(events).toEqual(all.filter((event) => matchesFilters(filters, event)));
      },
    ),
    { numRuns: 60 },
  );
});

describe('a position', () => {
  it.each(['-1', '1.5', 'x', '', '1e3', '99999999999999999'])('is an integer, not %p: 400', async (after) => {
    const { body } = await world.api.get(`/events?after=${after}`).expect(400);
    expect(body.fields).toMatchObject([{ name: 'after' }]);
  });

  it.each(['page=1', 'sort_by=created_at', 'page=2&sort_by=-created_at', 'cursor=CURSOR'])(
    'does not go with %s: 400',
    async (more) => {
      await insertAll(2);
      const { body: page } = await world.api.get('/events?limit=1').expect(200);
      const query = more.replace('CURSOR', page.meta.next_cursor);
      const { body } = await world.api.get(`/events?after=0&${query}`).expect(400);
      expect(body.fields).toMatchObject([{ name: 'after' }]);
    },
  );

  it('that was never given is 400: a reader knows more than the database, or another project', async () => {
    await insertAll(3);
    await give();
    await world.api.get('/events?after=3').expect(200);
    await world.api.get('/events?after=4').expect(400);
    await world.other.get('/events?after=1').expect(400);
  });

  it('of the past before a restore stays good', async () => {
    await insertAll(3);
    await give();
    await world.db.query(`UPDATE project_positions SET history = 'before the promotion'`);
    const { body } = await world.api.get('/events?after=100').expect(200);
    expect(body.meta.last_position).toBe(100);
  });

  it('of the past before a restore stays good where the restored one knew no event', async () => {
    await world.db.query(`UPDATE project_positions SET history = 'before the promotion'`);
    const { body } = await world.api.get('/events?after=50').expect(200);
    expect(body.meta.last_position).toBe(50);
  });

  it('is 410 when events behind it have grown too old, or are gone; what is named is good', async () => {
    await insertAll(3, { daysAgo: 31 });
    const kept = [...(await insertAll(2)), await insert({ isTest: true })];
    await give();
    const { body } = await world.api.get('/events?after=1').expect(410);
    expect(body).toMatchObject({ status: 410, title: 'Gone', earliest_position: 3 });
    const read = async (): Promise<string[]> =>
      (await world.api.get('/events?after=3').expect(200)).body.items.map(
        (item: { event_id: string }) => item.event_id,
      );
    expect(await read()).toEqual(kept.slice(0, 2));
    await world.db.query(`DELETE FROM event_log WHERE created_at < now() - interval '30 days'`);
    expect((await world.api.get('/events?after=2').expect(410)).body.earliest_position).toBe(3);
    expect(await read()).toEqual(kept.slice(0, 2));
    await world.db.query('DELETE FROM event_log');
    expect((await world.api.get('/events?after=5').expect(410)).body.earliest_position).toBe(6);
    expect((await world.api.get('/events?after=6').expect(200)).body.items).toEqual([]);
  });

  const earliest = async (after: number): Promise<number> =>
    (await world.api.get(`/events?after=${after}`).expect(410)).body.earliest_position;
  const read = async (after: number): Promise<string[]> =>
    (await world.api.get(`/events?after=${after}`).expect(200)).body.items.map(
      (item: { event_id: string }) => item.event_id,
    );

  it('that is 410 skips no event that is kept while a day is being removed', async () => {
    const ids = [...(await insertAll(2, { daysAgo: 20 })), ...(await insertAll(2))];
    await give();
    // First its positions go, then its events.
    await world.db.query('DELETE FROM event_positions WHERE position <= 2');
    expect(await earliest(0)).toBe(2);
    expect(await read(2)).toEqual(ids.slice(2));
  });

  it('that is 410 skips no event that is kept where an older one was held and became visible behind it', async () => {
    await insertAll(2, { daysAgo: 31 });
    const held = await insert({ daysAgo: 29, isHeld: true });
    const kept = await insertAll(2, { daysAgo: 28 });
    await give();
    await world.db.query('UPDATE event_log SET is_held = false');
    await give();
    expect(await earliest(0)).toBe(2);
    expect(await read(2)).toEqual([...kept, held]);
    // Then it has grown too old alone.
    await world.db.query(`UPDATE event_log SET created_at = now() - interval '31 days' WHERE event_id = $1`, [
      held,
    ]);
    expect(await read(3)).toEqual([kept[1], held]);
    expect(await earliest(4)).toBe(5);
  });

  it('that is 410 finds what is kept in steps where very much has grown too old', async () => {
    await world.db.query(
      `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload, created_at)
       SELECT gen_random_uuid(), $1, 'eip155:1', 'balance.changed', 1, 'balance.changed', '{}', now() - interval '31 days' FROM generate_series(1, 25000)`,
      [world.project.projectId],
    );
    const kept = await insert();
    await give();
    expect(await earliest(0)).toBe(20_000);
    expect(await earliest(20_000)).toBe(25_000);
    expect(await read(25_000)).toEqual([kept]);
  });
});
