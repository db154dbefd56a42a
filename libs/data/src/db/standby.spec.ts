// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import {
  findPgBouncer,
  PRIMARY_SETTINGS,
  startPgBouncer,
  startPostgresServer,
  startStandby,
  startTcpProxy,
  waitFor,
  type PostgresServerHandle,
  type TcpProxy,
} from '@chainwatch/testing';
import { createDatabase, type Database } from './database.ts';
import { createPrisma } from './prisma.ts';
import { StandbyWatch, type StandbyOptions } from './standby-watch.ts';

const STALENESS_MS = 3_000;
const IS_STANDBY = 'SELECT pg_is_in_recovery() AS "isStandby"';

let primary: PostgresServerHandle;
/** Between the two: what the standby receives goes through it. */
let wire: TcpProxy;
let standby: PostgresServerHandle;
let writer: Database;
const closing: (() => Promise<unknown>)[] = [];
const warnings: string[] = [];

beforeAll(async () => {
  primary = await startPostgresServer({ isDurable: false, settings: PRIMARY_SETTINGS });
  wire = await startTcpProxy(primary.port);
  standby = await startStandby(primary, { port: wire.port, isDurable: false });
  writer = createDatabase({ url: primary.url, applicationName: 'spec' });
  await writer.query('CREATE TABLE clock (id int PRIMARY KEY, ticks bigint NOT NULL)');
  await writer.query('INSERT INTO clock VALUES (1, 0)');
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await writer.close();
  await Promise.all([standby.stop(), primary.stop()]);
  await wire.stop();
});

function open(more: Partial<StandbyOptions> = {}): { watch: StandbyWatch; db: Database } {
  const watch = new StandbyWatch({
    ...{ url: standby.url, primaryUrl: primary.url, applicationName: 'spec', stalenessMs: STALENESS_MS },
    logger: {
      info: () => undefined,
      warn: (fields: object) => void warnings.push((fields as { reason: string }).reason),
    },
    ...more,
  });
  const db = createDatabase({
    ...{ url: more.url ?? standby.url, applicationName: 'spec', poolSize: 4, standby: watch },
    isPrepared: false,
  });
  closing.push(async () => {
    await db.close();
    await watch.close();
  });
  return { watch, db };
}

const isRead = ({ watch }: { watch: StandbyWatch }) => waitFor(() => watch.find() !== undefined);

/** Writes and reads until it is ended: no read shows less than what was written the staleness before it. */
function tick({ watch, db }: { watch: StandbyWatch; db: Database }) {
  const ended = new AbortController();
  const written: { atMs: number; ticks: number }[] = [];
  const faults: string[] = [];
  let reads = 0;
  const write = async (): Promise<void> => {
    for (let ticks = Date.now(); !ended.signal.aborted; ticks += 1) {
      await writer.query('UPDATE clock SET ticks = $1', [ticks]);
      written.push({ atMs: performance.now(), ticks });
      await delay(5);
    }
  };
  const read = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      const proof = watch.find();
      const beganAtMs = performance.now();
      const answer = await db.query<{ ticks: number }>('SELECT ticks FROM clock').catch(() => undefined);
      const [row] = answer?.rows ?? [];
      if (performance.now() - beganAtMs > 10_000) faults.push(`waited ${performance.now() - beganAtMs} ms`);
      if (row === undefined || proof === undefined) await delay(5);
      else {
        reads += 1;
        const bound = Math.max(proof.atMs, beganAtMs - STALENESS_MS);
        const expected = written.findLast(({ atMs }) => atMs <= bound)?.ticks ?? 0;
        if (row.ticks < expected) faults.push(`${row.ticks} in place of ${expected}`);
        await delay(2);
      }
    }
  };
  const work = Promise.all([write(), read(), read()]);
  // Also after a test that failed.
  closing.push(async () => {
    ended.abort();
    await work;
  });
  return {
    count: () => reads,
    async end(): Promise<string[]> {
      ended.abort();
      await work;
      return faults;
    },
  };
}

describe('a standby', () => {
  it('answers for the primary while that is idle, and says how old it is at most', async () => {
    const opened = open();
    await isRead(opened);
    for (let looks = 0; looks < 8; looks += 1) {
      expect((await opened.db.query<{ isStandby: boolean }>(IS_STANDBY)).rows).toEqual([{ isStandby: true }]);
      expect(performance.now() - opened.watch.find()!.atMs).toBeLessThan(STALENESS_MS);
      await delay(STALENESS_MS / 6);
    }
    expect(opened.watch.health()).toEqual({ ok: true });
  });

  it('shows what was committed before it was waited for', async () => {
    const opened = open();
    await isRead(opened);
    for (let count = 0; count < 20; count += 1) {
      await writer.query('UPDATE clock SET ticks = $1', [count]);
      await opened.watch.untilShown();
      expect((await opened.db.query<{ ticks: number }>('SELECT ticks FROM clock')).rows[0]!.ticks).toBe(
        count,
      );
    }
  });

  it('is asked for single statements that read, and for nothing else', async () => {
    const opened = open();
    await isRead(opened);
    const reads = { code: 'standby_unusable' };
    await expect(opened.db.transaction(async () => 1)).rejects.toMatchObject(reads);
    await expect(opened.db.query('UPDATE clock SET ticks = 1')).rejects.toMatchObject({ code: '25006' });
    await expect(opened.db.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    const prisma = createPrisma(standby.url, { standby: opened.watch });
    expect(await prisma.$queryRawUnsafe(IS_STANDBY)).toEqual([{ isStandby: true }]);
    await expect(prisma.$transaction((tx) => tx.$queryRawUnsafe('SELECT 1'))).rejects.toThrow(
      /single statement/,
    );
    await prisma.$disconnect();
  });

  it.each<[string, () => unknown, () => unknown]>([
    [
      'whose replay is paused',
      () => ask(standby, 'SELECT pg_wal_replay_pause()'),
      () => ask(standby, 'SELECT pg_wal_replay_resume()'),
    ],
    [
      'whose receiver stands still',
      () => standby.signal('SIGSTOP', /walreceiver/),
      () => standby.signal('SIGCONT'),
    ],
    [
      'whose primary sends nothing',
      () => primary.signal('SIGSTOP', /walsender/),
      () => primary.signal('SIGCONT'),
    ],
    ['that is cut off', () => wire.cut(), () => wire.mend()],
    [
      'whose recovery stands still',
      () => standby.signal('SIGSTOP', /startup/),
      () => standby.signal('SIGCONT'),
    ],
    ['that stands still', () => standby.signal('SIGSTOP'), () => standby.signal('SIGCONT')],
    ['that was killed', () => standby.signal('SIGKILL'), () => standby.restart()],
  ])(
    '%s is not read longer than it may be old, then again',
    async (_, spoil, mend) => {
      const opened = open();
      await isRead(opened);
      const ticking = tick(opened);
      try {
        await waitFor(() => ticking.count() > 20);
        await spoil();
        await waitFor(() => opened.watch.find() === undefined, { timeoutMs: STALENESS_MS + 3_000 });
        const count = ticking.count();
        await delay(500);
        // Each of the two readers may have had a read under way.
        expect(ticking.count() - count).toBeLessThanOrEqual(2);
      } finally {
        await mend();
      }
      await isRead(opened);
      await waitFor(() => ticking.count() > 40);
      expect(await ticking.end()).toEqual([]);
    },
    60_000,
  );

  it('that is killed while Prisma asks it fails that one read', async () => {
    const opened = open();
    await isRead(opened);
    const prisma = createPrisma(standby.url, { standby: opened.watch });
    closing.push(() => prisma.$disconnect());
    const reading = expect(prisma.$queryRawUnsafe('SELECT pg_sleep(20)')).rejects.toThrow();
    await delay(300);
    standby.signal('SIGKILL');
    await reading;
    const killed = opened.watch.find()?.server;
    await standby.restart();
    await waitFor(() => (opened.watch.find()?.server ?? killed) !== killed, { message: 'the new run' });
    expect(await prisma.$queryRawUnsafe(IS_STANDBY)).toEqual([{ isStandby: true }]);
  }, 30_000);

  it('that stands still while it is asked is given up, with its session', async () => {
    const opened = open();
    await isRead(opened);
    const reading = opened.db.query('SELECT pg_sleep(20)');
    const given = expect(reading).rejects.toMatchObject({ code: 'standby_unusable' });
    await delay(100);
    standby.signal('SIGSTOP');
    const stoppedAtMs = performance.now();
    try {
      await given;
      expect(performance.now() - stoppedAtMs).toBeLessThan(10_000);
      expect(opened.db.pool.totalCount).toBe(0);
    } finally {
      standby.signal('SIGCONT');
    }
  });
});

it('a primary, a standby of another installation, and nobody at all are not read', async () => {
  const other = await startPostgresServer({ isDurable: false, settings: PRIMARY_SETTINGS });
  const otherStandby = await startStandby(other, { isDurable: false });
  closing.push(() => Promise.all([other.stop(), otherStandby.stop()]));
  for (const [url, reason] of [
    [primary.url, /is no standby/],
    [otherStandby.url, /another installation/],
    ['postgres://nobody@127.0.0.1:1/none', /no answer: .*ECONNREFUSED/],
  ] as const) {
    const opened = open({ url });
    warnings.length = 0;
    await waitFor(() => warnings.length > 0);
    expect(warnings).toEqual([expect.stringMatching(reason)]);
    expect(opened.watch.find()).toBeUndefined();
    await expect(opened.db.query('SELECT 1')).rejects.toMatchObject({ code: 'standby_unusable' });
  }
});

(findPgBouncer() === undefined ? it.skip : it)('a standby behind PgBouncer is read', async () => {
  const bouncer = await startPgBouncer(standby.url, { poolSize: 3 });
  closing.push(() => bouncer.stop());
  const opened = open({ url: bouncer.urlOf(standby.url) });
  await isRead(opened);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => opened.db.query<{ isStandby: boolean }>(IS_STANDBY)),
  );
  expect(answers.every(({ rows }) => rows[0]!.isStandby)).toBe(true);
  // Prisma's sessions read the same way, and PgBouncer gives theirs to others, too.
  const [one, two] = [0, 1].map(() =>
    createPrisma(bouncer.urlOf(standby.url), { standby: opened.watch, isPrepared: false, poolSize: 2 }),
  );
  closing.push(() => Promise.all([one!.$disconnect(), two!.$disconnect()]));
  await Promise.all(
    Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one! : two!).$queryRaw`SELECT pg_is_in_recovery()`),
  );
});

it('is as old as the clock of the primary says, whatever this machine has for one', async () => {
  const { now } = Date;
  Date.now = () => now() + 60_000;
  try {
    const opened = open();
    await isRead(opened);
    const { rows } = await writer.query<{ isPast: boolean }>('SELECT $1 <= clock_timestamp() AS "isPast"', [
      opened.watch.find()!.at,
    ]);
    expect(rows).toEqual([{ isPast: true }]);
  } finally {
    Date.now = now;
  }
});

it('a standby that was promoted is not read, nor one that stayed with the old primary and is ahead of the new one', async () => {
  const left = await startStandby(primary, { isDurable: false });
  closing.push(() => left.stop());
  const address = await startTcpProxy(primary.port);
  closing.push(() => address.stop());
  const url = new URL(primary.url);
  url.port = String(address.port);
  const promoted = open({ primaryUrl: url.href });
  const behind = open({ url: left.url, primaryUrl: url.href });
  await Promise.all([isRead(promoted), isRead(behind)]);
  // The one that is promoted lacks what the other one has.
  wire.cut();
  await writer.query('INSERT INTO clock SELECT i, i FROM generate_series(2, 20000) i');
  await isRead(behind);
  await standby.promote();
  await expect(promoted.db.query(IS_STANDBY)).rejects.toMatchObject({ code: 'standby_unusable' });
  address.setTargets([standby.port]);
  address.cut();
  address.mend();
  await waitFor(() => behind.watch.find() === undefined);
  expect(behind.watch.health()).toMatchObject({
    reason: expect.stringContaining('its timeline is 1') as string,
  });
  for (const { watch, db } of [promoted, behind]) {
    await delay(1_000);
    expect(watch.find()).toBeUndefined();
    await expect(db.query('SELECT 1')).rejects.toMatchObject({ code: 'standby_unusable' });
  }
}, 60_000);

async function ask({ url }: PostgresServerHandle, statement: string): Promise<void> {
  const db = createDatabase({ url, applicationName: 'spec' });
  await db.query(statement);
  await db.close();
}
