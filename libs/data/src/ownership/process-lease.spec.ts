// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createDatabase, type Database } from '../db/index.ts';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '../testing/index.ts';
import { beat } from './beats-table.ts';
import type { ShareWork } from './held-share.ts';
import { takeShare } from './owned-share.ts';
import { ShareSupervisor } from './share-supervisor.ts';

const logger = { info: () => undefined, warn: () => undefined };
const LEASE_MS = 8_000;

let postgres: PostgresHandle;
let db: Database;
let kind: string;
const open: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});
beforeEach(() => (kind = `spec.${randomUUID()}`));
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
});

const names = Array.from({ length: 28 }, (_, index) => `share ${index}`);

function start(shares: readonly string[] = names): {
  running: Map<string, ShareWork<string>>;
  owner: string;
} {
  const running = new Map<string, ShareWork<string>>();
  const supervisor = new ShareSupervisor({
    ...{ db, kind, logger },
    listShares: () => Promise.resolve(new Map(shares.map((name) => [name, name]))),
    work: async (work) => {
      const { share } = work.share.claim;
      running.set(share, work);
      await new Promise((resolve) => work.signal.addEventListener('abort', resolve, { once: true }));
      running.delete(share);
    },
  });
  open.push(supervisor);
  return { running, owner: supervisor.owner };
}

const untilOwned = ({ running }: ReturnType<typeof start>, count: number): Promise<unknown> =>
  waitFor(() => running.size === count, { message: `${count} shares to be owned` });
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A replica with the lease of its process, which has ended or lasts, and a share whose own lease is over. */
async function leaveOwner(leaseSeconds: number | null): Promise<string> {
  const owner = randomUUID();
  await db.query(
    `INSERT INTO owner_beats (kind, owner, ready, declined, beat_until, lease_until)
     VALUES ($1, $2, '{}', '{}', clock_timestamp(), clock_timestamp() + $3 * interval '1 s')`,
    [kind, owner, leaseSeconds],
  );
  await db.query(`INSERT INTO owners VALUES ($1, 'one', $2, 7, clock_timestamp() - interval '1 s')`, [
    kind,
    owner,
  ]);
  return owner;
}

/** A session of its own, to hold what others wait for. */
async function openSession(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('BEGIN');
  return client;
}

const take = (): ReturnType<typeof takeShare> => takeShare(db, { kind, share: 'one' }, randomUUID());
/** A statement of ours waits for a lock. */
const untilWaiting = (): Promise<unknown> =>
  waitFor(
    async () =>
      (
        await db.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount === 1,
  );

describe('the lease of a process', () => {
  it('holds all of its shares for longer than their own leases, and writes no row of theirs', async () => {
    const replica = start();
    await untilOwned(replica, names.length);
    const readRows = async (): Promise<unknown> =>
      (await db.query('SELECT share, xmin::text, token FROM owners WHERE kind = $1 ORDER BY share', [kind]))
        .rows;
    const before = await readRows();
    await wait(LEASE_MS + 3_000);
    expect(await readRows()).toEqual(before);
    expect([...replica.running.values()].every(({ share }) => share.isOurs)).toBe(true);
    expect(await takeShare(db, { kind, share: names[0]! }, randomUUID())).toBeUndefined();
  });

  it.each([
    ['lasts', 5, undefined],
    ['is over', -1, 8],
    ['is none, as that of a former release', null, 8],
  ])('keeps a share whose own lease is over: it %s', async (_, seconds, token) => {
    await leaveOwner(seconds);
    const taken = await take();
    taken?.end();
    expect(taken?.token).toBe(token);
  });

  it('counts although its renewal is under way as somebody takes a share, and the other way round', async () => {
    const owner = await leaveOwner(-1);
    const me = { owner, ready: new Set<string>(), declined: new Set<string>() };
    const renewing = await openSession();
    await beat(renewing, { kind, me, beatMs: 0 });
    const refused = take();
    await untilWaiting();
    await renewing.query('COMMIT');
    expect(await refused).toBeUndefined();
    await renewing.end();
    // It is over again, and this time the taker is first.
    await db.query(
      `UPDATE owner_beats SET lease_until = clock_timestamp() - interval '1 s' WHERE kind = $1`,
      [kind],
    );
    const slow = await openSession();
    await slow.query('SELECT FROM owner_beats WHERE kind = $1 FOR UPDATE', [kind]);
    const taking = take();
    await untilWaiting();
    await slow.query('ROLLBACK');
    await slow.end();
    const taken = await taking;
    taken!.end();
    expect(await beat(db, { kind, me, beatMs: 0 })).toEqual(new Map());
    expect(taken!.token).toBe(8);
  });

  it('renews nothing that has ended by the clock of its owner', async () => {
    const replica = start(['one']);
    await untilOwned(replica, 1);
    const { share } = replica.running.get('one')!;
    const { now } = Date;
    try {
      // The machine was suspended.
      Date.now = () => now() + LEASE_MS;
      await waitFor(() => share.signal.aborted, { message: 'the share to be lost' });
    } finally {
      Date.now = now;
    }
    await untilOwned(replica, 1);
    expect(replica.running.get('one')!.share.token).toBe(share.token + 1);
  });

  it('ends when the process has let go of everything, not before', async () => {
    let isRunning = false;
    const ending = new AbortController();
    const supervisor = new ShareSupervisor({
      ...{ db, kind, logger },
      listShares: () => Promise.resolve(new Map([['one', 'one']])),
      work: async () => {
        isRunning = true;
        await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }));
      },
    });
    await waitFor(() => isRunning);
    const stopped = supervisor.stop();
    await waitFor(
      async () =>
        (await db.query('SELECT FROM owner_beats WHERE kind = $1 AND beat_until > clock_timestamp()', [kind]))
          .rowCount === 0,
      { message: 'it to count no more' },
    );
    await wait(LEASE_MS + 1_000);
    expect(await take()).toBeUndefined();
    ending.abort();
    await stopped;
    expect((await db.query('SELECT FROM owner_beats WHERE kind = $1', [kind])).rowCount).toBe(0);
    const taken = await take();
    expect(taken?.token).toBe(2);
    taken!.end();
  });
});

it('removes what replicas left that died over a minute ago, and nothing of the living or leased', async () => {
  const leave = (beatAgo: number, leaseAgo: number): Promise<unknown> =>
    db.query(
      `INSERT INTO owner_beats (kind, owner, ready, declined, beat_until, lease_until)
       VALUES ($1, gen_random_uuid(), '{}', '{}', clock_timestamp() - $2 * interval '1 s', clock_timestamp() - $3 * interval '1 s')`,
      [`${kind}.other`, beatAgo, leaseAgo],
    );
  await leave(70, 61);
  await leave(70, 40);
  await leave(-5, -8);
  const replica = start();
  await untilOwned(replica, names.length);
  expect((await db.query('SELECT FROM owner_beats WHERE kind = $1', [`${kind}.other`])).rowCount).toBe(2);
});

describe('beside a replica of the former release', () => {
  /** What it does twice a second, and what it takes. */
  const former = randomUUID();
  const beatAsFormer = (): Promise<unknown> =>
    db.query(
      `INSERT INTO owner_beats (kind, owner, ready, declined, beat_until) VALUES ($1, $2, '{}', '{}', clock_timestamp() + interval '5 s')
       ON CONFLICT (kind, owner) DO UPDATE SET beat_until = excluded.beat_until`,
      [kind, former],
    );
  const takeAsFormer = async (): Promise<number> =>
    (
      await db.query(
        `UPDATE owners SET owner = $2, token = token + 1 WHERE kind = $1 AND (lease_until < clock_timestamp() OR owner = $2)`,
        [kind, former],
      )
    ).rowCount ?? 0;

  it('each share is renewed, and no longer once it has left', async () => {
    await beatAsFormer();
    const beating = setInterval(() => void beatAsFormer(), 500);
    const replica = start();
    try {
      await untilOwned(replica, names.length);
      const until = performance.now() + LEASE_MS + 3_000;
      while (performance.now() < until) {
        expect(await takeAsFormer()).toBe(0);
        await wait(200);
      }
      expect(replica.running.size).toBe(names.length);
    } finally {
      clearInterval(beating);
    }
    await waitFor(
      async () =>
        (await db.query('SELECT FROM owners WHERE kind = $1 AND lease_until < clock_timestamp()', [kind]))
          .rowCount === names.length,
      { message: 'the renewals of shares to end', timeoutMs: 20_000 },
    );
    expect([...replica.running.values()].every(({ share }) => share.isOurs)).toBe(true);
  });
});
