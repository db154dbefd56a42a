// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { waitFor } from '@chainwatch/testing';
import type { Receiver, SpecEvent } from '@chainwatch/data/testing';
import { giveWorlds, type World } from '../spec-world.ts';
import {
  previewEvents,
  type Preview,
  type PreviewDependencies,
  type PreviewLimits,
} from './preview-events.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const CHAIN = 'eip155:31337';
const COIN = `${CHAIN}/slip44:60`;
const TOKEN = `${CHAIN}/erc20:0x0000000000000000000000000000000000000001`;
const TYPES = ['transaction.detected', 'transaction.confirmed', 'transaction.failed'];
const ADDRESSES = Array.from({ length: 3 }, () => randomUUID());
/** Few times, so that many events have the same. */
const FIRST_MS = Date.parse('2026-11-20T00:00:00.000Z');
const TIMES = 6;
const timeAt = (place: number): Date => new Date(FIRST_MS + place);

/** Seldom there: most channels have few filters. */
const optional = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: values });

interface RandomEvent extends SpecEvent {
  readonly at: number;
  readonly subject: 'live' | 'test' | 'history';
}

const address = fc.record({
  address_id: fc.constantFrom(...ADDRESSES),
  groups: fc.subarray(['shop-1', 'shop-2']),
  metadata: fc.constantFrom({}, { shop: '7' }, { shop: 7, vip: true }),
  metadata_truncated: fc.constant(false),
});

const randomEvent: fc.Arbitrary<RandomEvent> = fc.record({
  type: fc.constantFrom(...TYPES),
  at: fc.nat(TIMES - 1),
  subject: fc.constantFrom('live', 'live', 'live', 'live', 'test', 'history'),
  isHeld: fc.constantFrom(false, false, false, true),
  transfers: fc.array(
    fc.record({
      asset_gid: fc.constantFrom(COIN, TOKEN),
      amount: fc.constantFrom('0.5', '1', '20', null),
      memo: fc.constantFrom(null, 'order 1', 'order 2'),
      monitored_addresses: fc.subarray(ADDRESSES, { minLength: 1 }),
    }),
    { maxLength: 2 },
  ),
  addresses: fc.array(address, { minLength: 1, maxLength: 2 }),
  transaction: fc.record({
    direction: fc.constantFrom('in', 'out', 'self'),
    verification: fc.constantFrom('proved', 'attested', null),
  }),
});

const selection = fc.record({
  event_types: optional(fc.subarray(TYPES, { minLength: 1 })),
  include_historical: optional(fc.boolean()),
  fields: optional(
    fc.subarray(['data.transaction.direction', 'data.transaction.transfers.amount', 'data.addresses'], {
      minLength: 1,
    }),
  ),
  format: optional(fc.constantFrom('native', 'cloudevents')),
  filters: fc.record({
    chain_gids: optional(fc.subarray([CHAIN, 'eip155:1'], { minLength: 1 })),
    asset_gids: optional(fc.subarray([COIN, TOKEN], { minLength: 1 })),
    address_ids: optional(fc.subarray(ADDRESSES, { minLength: 1 })),
    groups: optional(fc.subarray(['shop-1', 'shop-2'], { minLength: 1 })),
    metadata: optional(fc.constant({ shop: '7' })),
    direction: optional(fc.constantFrom('in', 'out')),
    min_amount: optional(fc.constantFrom('1', '10')),
    memo_prefix: optional(fc.constant('order')),
    verification: optional(fc.constant(['proved'])),
  }),
});
type Selection = typeof selection extends fc.Arbitrary<infer T> ? T : never;

async function insert(projectId: string, { at, subject, ...event }: RandomEvent): Promise<void> {
  const { eventId } = await world.insertEvent({ ...event, projectId });
  const { rows } = await world.db.query<{ id: number }>(
    `UPDATE event_log SET created_at = $2, subject_kind = CASE WHEN $3 = 'live' THEN subject_kind ELSE $3 END WHERE event_id = $1 RETURNING id`,
    [eventId, timeAt(at), subject],
  );
  if (subject === 'live') return;
  // As its writer does it: no test is dispatched, and history to channels that include it.
  await world.db.query('DELETE FROM undispatched_events WHERE event_row_id = $1', [rows[0]!.id]);
  if (subject === 'history')
    await world.db.query(
      `INSERT INTO historical_dispatches SELECT id, $1 FROM notification_channels WHERE project_id = $2 AND config -> 'include_historical' = 'true'`,
      [rows[0]!.id, projectId],
    );
}

interface Sent {
  readonly event_id: string;
  readonly type: string;
  readonly chain_gid: string;
  readonly created_at: Date;
}

/** What the channel's receiver got, in the order in which preview reads. */
async function readSent(channelId: string): Promise<readonly Sent[]> {
  const ids = receiver.requests
    .filter(({ url }) => url.endsWith(channelId))
    .map(({ headers }) => headers['x-webhook-event-id']);
  return world.rows<Sent>(
    'SELECT event_id, type, chain_gid, created_at FROM event_log WHERE event_id = ANY($1::uuid[]) ORDER BY created_at, id',
    [ids],
  );
}

const bodyOf = (channelId: string, eventId: string): string =>
  receiver.requests.find(
    ({ url, headers }) => url.endsWith(channelId) && headers['x-webhook-event-id'] === eventId,
  )!.body;

function expectAsSent(preview: Preview, channelId: string, sent: readonly Sent[]): void {
  const counts = new Map<string, number>();
  for (const { type, chain_gid: chain } of sent)
    counts.set(`${type} ${chain}`, (counts.get(`${type} ${chain}`) ?? 0) + 1);
  expect(preview.total).toBe(sent.length);
  expect(preview.counts.map(({ type, chainGid, count }) => [`${type} ${chainGid}`, count])).toEqual(
    [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
  expect(preview.bodies).toEqual(sent.slice(0, 20).map(({ event_id: id }) => bodyOf(channelId, id)));
}

test('tells what the channel then gets, whatever it asks for, in whatever steps it is read', async () => {
  let matched = 0;
  const runs = fc.asyncProperty(
    fc.array(randomEvent, { minLength: 20, maxLength: 40 }),
    fc.array(selection, { minLength: 5, maxLength: 5 }),
    fc.record({ since: fc.nat(2), until: fc.integer({ min: 3, max: TIMES }) }),
    fc.record({
      stepMax: fc.integer({ min: 1, max: 9 }),
      stepBytesMax: fc.constantFrom(1, 2_000, 1_000_000),
      eventsMax: fc.integer({ min: 1, max: 60 }),
    }),
    async (events, selections, times, limits) => {
      const projectId = await world.addProject();
      const [since, until] = [timeAt(times.since), timeAt(times.until)];
      const channels = await addChannels(projectId, selections);
      for (const event of events) await insert(projectId, event);
      const previews = await Promise.all(
        channels.map(({ config }) => readAll({ projectId, config, since, until }, limits)),
      );
      const engine = await world.start({ pollMs: 20 });
      await settled();
      await engine.stop();
      for (const [index, { id }] of channels.entries()) {
        const sent = (await readSent(id)).filter(({ created_at: at }) => at >= since && at < until);
        matched += sent.length;
        expectAsSent(previews[index]!.whole, id, sent);
        const { first } = previews[index]!;
        expectAsSent(
          first,
          id,
          sent.filter(({ created_at: at }) => at < first.until),
        );
        expect(first.isComplete).toBe(first.until.getTime() === until.getTime());
      }
    },
  );
  await fc.assert(runs, { numRuns: 8, endOnFailure: true });
  expect(matched).toBeGreaterThan(30);
}, 120_000);

async function addChannels(
  projectId: string,
  selections: readonly Selection[],
): Promise<{ readonly id: string; readonly config: object }[]> {
  const channels = selections.map((config) => ({ id: randomUUID(), config: dropNothing(config) }));
  for (const { id, config } of channels)
    await world.addChannel(`${receiver.url}?${id}`, { id, projectId, config });
  return channels;
}

/** As JSON has it. */
const dropNothing = (config: object): object => JSON.parse(JSON.stringify(config)) as object;

/** Everything there is to send is sent. */
const settled = (): Promise<unknown> =>
  waitFor(
    async () =>
      (
        await world.rows(
          `SELECT FROM undispatched_events u JOIN event_log e ON e.id = u.event_row_id WHERE NOT e.is_held
           UNION ALL SELECT FROM historical_dispatches h JOIN event_log e ON e.id = h.event_row_id WHERE NOT e.is_held
           UNION ALL SELECT FROM deliveries WHERE status <> 'delivered'`,
        )
      ).length === 0,
  );

interface Asked {
  readonly projectId: string;
  readonly config: object;
  readonly since: Date;
  readonly until: Date;
}

const depsOf = (): PreviewDependencies => ({ db: world.db, logger: { warn: () => undefined } });

/** With few events at once, and with enough for all. */
async function readAll(
  { config, ...asked }: Asked,
  limits: Partial<PreviewLimits>,
): Promise<{ readonly first: Preview; readonly whole: Preview }> {
  const request = { ...asked, kind: 'webhook', selection: config };
  return {
    first: await previewEvents(depsOf(), request, limits),
    whole: await previewEvents(depsOf(), request, { ...limits, eventsMax: 1_000 }),
  };
}

describe('time', () => {
  const ask = (limits: Partial<PreviewLimits>): Promise<Preview> =>
    previewEvents(
      depsOf(),
      {
        projectId: world.projectId,
        kind: 'webhook',
        selection: { event_types: TYPES },
        since: new Date(0),
        until: new Date(Date.now() + 60_000),
      },
      limits,
    );

  test('that is used up is told, and nothing is guessed', async () => {
    await world.insertEvent();
    expect(await ask({ budgetMs: 0 })).toEqual({
      ...{ total: 0, counts: [], payloads: [], bodies: [], until: new Date(0), isComplete: false },
    });
    expect(await ask({})).toMatchObject({ total: 1, isComplete: true });
  });

  test('ends a statement that takes longer, and what other statements say is thrown', async () => {
    await world.insertEvent();
    await world.db.transaction(async (sql) => {
      await sql.query('LOCK TABLE event_log IN ACCESS EXCLUSIVE MODE');
      expect(await ask({ budgetMs: 200 })).toMatchObject({ total: 0, isComplete: false });
    });
    await world.db.query('ALTER TABLE event_log RENAME TO gone');
    await expect(ask({})).rejects.toMatchObject({ code: '42P01' });
  });
});
