// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { readMetrics, startTcpProxy, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '../testing/index.ts';
import { createDatabase, type Database } from '../db/index.ts';
import { startTelemetry } from '@chainwatch/platform/telemetry';
import { ShareLostError, ShareSupervisor, type OwnedShare } from './index.ts';

const logger = { info: () => undefined, warn: () => undefined };
/** Of each test its own. */
let kind: string;

let postgres: PostgresHandle;
let db: Database;
let share: string;
const open: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  await db.query('CREATE TABLE written (share TEXT, what TEXT)');
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});
beforeEach(() => {
  share = randomUUID();
  kind = `spec.${share}`;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
});

interface Replica {
  readonly ownership: ShareSupervisor<string>;
  readonly owner: string;
  /** While it owns the share. */
  owned: OwnedShare | undefined;
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );

function start(
  through: Database = db,
  work = async (_: OwnedShare, signal: AbortSignal): Promise<void> => untilAborted(signal),
): Replica {
  const owner = randomUUID();
  const replica: Replica = {
    owner,
    owned: undefined,
    ownership: new ShareSupervisor({
      db: through,
      kind,
      owner,
      logger,
      listShares: () => Promise.resolve(new Map([[share, 'item']])),
      work: async ({ share: owned, signal }) => {
        replica.owned = owned;
        await work(owned, signal).finally(() => (replica.owned = undefined));
      },
    }),
  };
  open.push(replica.ownership);
  return replica;
}

const readRow = async (): Promise<{ owner: string; token: number; left: number } | undefined> =>
  (
    await db.query<{ owner: string; token: number; left: number }>(
      'SELECT owner, token, extract(epoch FROM lease_until - clock_timestamp())::float8 AS left FROM share_leases WHERE share = $1',
      [share],
    )
  ).rows[0];
const writeWith = (owned: OwnedShare, what: string): Promise<unknown> =>
  owned.transaction((sql) => sql.query('INSERT INTO written VALUES ($1, $2)', [share, what]));
const readWritten = async (): Promise<string[]> =>
  (await db.query<{ what: string }>('SELECT what FROM written WHERE share = $1', [share])).rows.map(
    ({ what }) => what,
  );
const ownedBy = (replica: Replica): Promise<OwnedShare> =>
  waitFor(() => replica.owned, { message: 'the share to be owned' });
const reasonOf = (replica: Replica): string | undefined => {
  const state = replica.ownership.stateOf(share);
  return state.type === 'unknown' ? state.reason : undefined;
};
/** As the owner did it that is gone since. */
const leaveRow = (leaseSeconds: number): Promise<unknown> =>
  db.query(`INSERT INTO owners VALUES ($1, $2, $3, 7, clock_timestamp() + $4 * interval '1 s')`, [
    kind,
    share,
    randomUUID(),
    leaseSeconds,
  ]);

describe('a share', () => {
  it('has one owner, who renews it while it does nothing; the other one knows whom it stands by for', async () => {
    const first = start();
    const { token } = await ownedBy(first);
    const second = start();
    await waitFor(() => second.ownership.stateOf(share).type === 'standby');
    expect(second.ownership.stateOf(share)).toEqual({ type: 'standby', owner: first.owner });
    await waitFor(async () => ((await readRow())?.left ?? 9) < 7);
    await waitFor(async () => ((await readRow())?.left ?? 0) > 7.5, { message: 'the idle owner to renew' });
    expect(await readRow()).toMatchObject({ owner: first.owner, token });
  });

  it('is counted by its owner, among those that there are', async () => {
    const telemetry = await startTelemetry({ serviceName: 'spec' });
    const read = async (): Promise<(number | undefined)[]> => {
      const metrics = await readMetrics(telemetry.handleMetrics);
      return ['shares', 'owned_shares'].map((name) => metrics.get(`chainwatch_${name}{kind="${kind}"}`));
    };
    await leaveRow(2);
    const replica = start();
    await waitFor(() => replica.ownership.stateOf(share).type === 'standby');
    expect(await read()).toEqual([1, 0]);
    await ownedBy(replica);
    expect(await read()).toEqual([1, 1]);
    await replica.ownership.stop();
    expect(await read()).toEqual([undefined, undefined]);
    await telemetry.stop();
  });

  it('is taken by one of many at once', async () => {
    const replicas = Array.from({ length: 6 }, () => start());
    await waitFor(() => replicas.every(({ ownership }) => ownership.stateOf(share).type !== 'unknown'));
    expect(replicas.map(({ ownership }) => ownership.stateOf(share).type).sort()).toEqual([
      'owned',
      ...Array<string>(5).fill('standby'),
    ]);
  });

  it('is free as soon as its owner stopped in order', async () => {
    const first = start();
    const { token } = await ownedBy(first);
    await first.ownership.stop();
    expect((await readRow())!.left).toBeLessThanOrEqual(0);
    expect((await ownedBy(start())).token).toBe(token + 1);
  });

  it('is not touched while the lease of an owner that is gone lasts, and taken when it ends', async () => {
    await leaveRow(2);
    const replica = start();
    await waitFor(() => replica.ownership.stateOf(share).type === 'standby');
    expect((await readRow())!.token).toBe(7);
    const { token } = await ownedBy(replica);
    expect(token).toBe(8);
  });

  it('is given back when its work fails, and taken again', async () => {
    let count = 0;
    const replica = start(db, async (_, signal) => {
      count += 1;
      if (count === 1) throw new Error('the database was away');
      await untilAborted(signal);
    });
    await waitFor(() => reasonOf(replica) === 'the database was away');
    expect((await readRow())!.left).toBeLessThanOrEqual(0);
    expect((await ownedBy(replica)).token).toBe(2);
  });
});

describe('a share whose row names its process, and nobody there has it', () => {
  /** The database, as long as `isAway` says nothing else of a statement before it is sent, or after it was. */
  const cutOff = (isAway: (text: string) => boolean): Database => ({
    pool: db.pool,
    query: async (statement: unknown, ...rest: readonly unknown[]) => {
      if (isAway(typeof statement === 'string' ? statement : '')) throw new Error('the database was away');
      return (db.query as (...all: readonly unknown[]) => Promise<never>)(statement, ...rest);
    },
    transaction: async (...given: Parameters<Database['transaction']>) => {
      const result = await db.transaction(...given);
      if (isAway('COMMIT')) throw new Error('the answer was lost');
      return result as never;
    },
    close: () => Promise.resolve(),
  });

  it('is taken again although it could not be given back', async () => {
    let [works, releases] = [0, 0];
    const through = cutOff((text) => text.startsWith('UPDATE owners SET owner') && (releases += 1) === 1);
    const replica = start(through, async (_, signal) => {
      works += 1;
      if (works === 1) throw new Error('its work failed');
      await untilAborted(signal);
    });
    await waitFor(() => works === 2, { message: 'the share to be taken again' });
    expect([(await ownedBy(replica)).token, releases]).toEqual([2, 1]);
  });

  it('is taken again where the answer to its take was lost', async () => {
    let commits = 0;
    const replica = start(cutOff((text) => text === 'COMMIT' && (commits += 1) === 1));
    expect((await ownedBy(replica)).token).toBe(2);
  });

  it('is taken with every other one like it', async () => {
    const shares = ['one', 'two', 'three', 'four'];
    const owner = randomUUID();
    await Promise.all(
      shares.map((name) =>
        db.query(`INSERT INTO owners VALUES ($1, $2, $3, 7, clock_timestamp() + interval '60 s')`, [
          ...[kind, name, owner],
        ]),
      ),
    );
    const supervisor = new ShareSupervisor({
      ...{ db, kind, owner, logger },
      listShares: () => Promise.resolve(new Map(shares.map((name) => [name, name]))),
      work: ({ signal }) => untilAborted(signal),
    });
    open.push(supervisor);
    await waitFor(() => supervisor.owned.length === shares.length, { message: 'all shares to be owned' });
  });
});

describe('what an owner writes', () => {
  it('renews the lease with its first statement', async () => {
    const owned = await ownedBy(start());
    await db.query(`UPDATE owners SET lease_until = clock_timestamp() + interval '1 s' WHERE share = $1`, [
      share,
    ]);
    await writeWith(owned, 'a');
    expect((await readRow())!.left).toBeGreaterThan(7);
    expect(await readWritten()).toEqual(['a']);
  });

  it.each([
    ['another owner', 'owner = gen_random_uuid()'],
    ['another token', 'token = token + 1'],
  ])('is refused after a take-over: %s', async (_, change) => {
    const owned = await ownedBy(start());
    await db.query(
      `UPDATE owners SET ${change}, lease_until = clock_timestamp() + interval '8 s' WHERE share = $1`,
      [share],
    );
    await expect(writeWith(owned, 'late')).rejects.toThrow(ShareLostError);
    expect([owned.signal.aborted, await readWritten()]).toEqual([true, []]);
    // Not even asked any more.
    await expect(writeWith(owned, 'later')).rejects.toThrow(ShareLostError);
  });

  it('is nothing when it fails in the middle, and the share stays', async () => {
    const owned = await ownedBy(start());
    await expect(
      owned.transaction(async (sql) => {
        await sql.query('INSERT INTO written VALUES ($1, $2)', [share, 'half']);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await writeWith(owned, 'whole');
    expect(await readWritten()).toEqual(['whole']);
  });

  it('is safe while its transaction lasts: nobody takes the share in between, and waits for nothing of the living', async () => {
    const owned = await ownedBy(start());
    const second = start();
    await owned.transaction(async (sql) => {
      await sql.query('SELECT pg_sleep(3)');
      // Its renewal is not to be seen yet, the one before is good for a while.
      expect(second.ownership.stateOf(share).type).toBe('standby');
      await sql.query('INSERT INTO written VALUES ($1, $2)', [share, 'slow']);
    });
    expect([owned.signal.aborted, await readWritten()]).toEqual([false, ['slow']]);
  });
});

describe('an owner that vanished', () => {
  it('stops by its own clock, and another takes over, when the network is cut without a word', async () => {
    const proxy = await startTcpProxy(Number(new URL(postgres.url).port));
    const url = new URL(postgres.url);
    url.port = String(proxy.port);
    const far = createDatabase({ url: url.href, applicationName: 'far' });
    const first = start(far);
    const owned = await ownedBy(first);
    const second = start();
    await waitFor(() => second.ownership.stateOf(share).type === 'standby');
    proxy.cut();
    await waitFor(() => owned.signal.aborted, { message: 'the owner to stop by its own clock' });
    expect(first.ownership.stateOf(share)).not.toMatchObject({ type: 'standby' });
    const { token } = await ownedBy(second);
    expect(token).toBe(owned.token + 1);
    proxy.mend();
    await expect(writeWith(owned, 'late')).rejects.toThrow(ShareLostError);
    await waitFor(() => first.ownership.stateOf(share).type === 'standby');
    expect(await readWritten()).toEqual([]);
    open.push({
      stop: () =>
        first.ownership
          .stop()
          .then(() => far.close())
          .then(() => proxy.stop()),
    });
  });

  it('in the middle of a transaction is ended by the taker once its lease is over', async () => {
    await leaveRow(1);
    // Without our time-outs, so that the server itself would wait for ever.
    const gone = new pg.Client({ connectionString: postgres.url });
    let isEnded = false;
    gone.on('error', () => undefined);
    gone.on('end', () => (isEnded = true));
    await gone.connect();
    await gone.query('BEGIN');
    await gone.query('INSERT INTO written VALUES ($1, $2)', [share, 'of the one who is gone']);
    await gone.query(`UPDATE owners SET lease_until = clock_timestamp() + interval '8 s' WHERE share = $1`, [
      share,
    ]);
    const replica = start();
    await waitFor(() => replica.ownership.stateOf(share).type === 'standby');
    expect(isEnded).toBe(false);
    expect((await ownedBy(replica)).token).toBe(8);
    await waitFor(() => isEnded);
    expect(await readWritten()).toEqual([]);
  });
});

describe('a database that does not answer', () => {
  it('is told as unknown, never as owned by somebody else', async () => {
    const away = createDatabase({ url: 'postgresql://u:p@127.0.0.1:9/x', applicationName: 'spec' });
    const replica = start(away);
    await waitFor(() => reasonOf(replica)?.includes('ECONNREFUSED') === true);
    await replica.ownership.stop();
    await away.close();
  });

  it('for a moment loses nothing', async () => {
    const proxy = await startTcpProxy(Number(new URL(postgres.url).port));
    const url = new URL(postgres.url);
    url.port = String(proxy.port);
    const far = createDatabase({ url: url.href, applicationName: 'far' });
    const replica = start(far);
    const owned = await ownedBy(replica);
    proxy.cut();
    await expect(writeWith(owned, 'during')).rejects.not.toThrow(ShareLostError);
    proxy.mend();
    // Other connections of the pool may be cut as well.
    await waitFor(() =>
      writeWith(owned, 'after').then(
        () => true,
        () => false,
      ),
    );
    expect([owned.signal.aborted, await readWritten()]).toEqual([false, ['after']]);
    await replica.ownership.stop();
    await far.close();
    await proxy.stop();
  });
});
