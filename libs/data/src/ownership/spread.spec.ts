// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { createDatabase, type Database } from '../db/index.ts';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '../testing/index.ts';
import type { ShareWork } from './held-share.ts';
import { ShareSupervisor, type SupervisorOptions } from './share-supervisor.ts';
import { TIMING, type Timing } from './timing.ts';

/** Faster than life; leases stay as they are. */
const QUICK: Timing = { ...TIMING, lookMs: 50, beatMs: 1_000, renewMs: 300, letGoMs: 50, unreachableMs: 100 };
const logger = { info: () => undefined, warn: () => undefined };

let postgres: PostgresHandle;
let db: Database;
let kind: string;
let shares: Map<string, string>;
const open: Replica[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec', poolSize: 8 });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});
beforeEach(() => {
  kind = `spec.${randomUUID()}`;
  shares = new Map(Array.from({ length: 28 }, (_, index) => [`evm:${index}`, 'first']));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ supervisor }) => supervisor.stop()));
});

interface Replica {
  readonly supervisor: ShareSupervisor<string>;
  /** What runs, by share. */
  readonly running: Map<string, ShareWork<string>>;
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );

/** Shares that run at two places at once, ever. */
const doubles: string[] = [];

function start(options: Partial<SupervisorOptions<string>> = {}): Replica {
  const running = new Map<string, ShareWork<string>>();
  const supervisor = new ShareSupervisor({
    db,
    kind,
    logger,
    listShares: () => Promise.resolve(shares),
    isSame: (before, now) => before === now,
    work: async (work) => {
      const { share } = work.share.claim;
      if (open.some((other) => other.running.has(share))) doubles.push(share);
      running.set(share, work);
      await untilAborted(work.signal);
      running.delete(share);
    },
    timing: QUICK,
    ...options,
  });
  const replica = { supervisor, running };
  open.push(replica);
  return replica;
}

const countsOf = (replicas: readonly Replica[]): string =>
  replicas
    .map(({ running }) => running.size)
    .sort((a, b) => a - b)
    .join();
const settle = (replicas: readonly Replica[], counts: string): Promise<unknown> =>
  waitFor(() => countsOf(replicas) === counts, {
    timeoutMs: 20_000,
    message: () => `parts of ${counts}, they are ${countsOf(replicas)}`,
  });

describe('28 shares', () => {
  it('spread over one, two and three replicas, never owned twice; who leaves or is gone leaves them to the others', async () => {
    const replicas = [start()];
    await settle(replicas, '28');
    replicas.push(start());
    await settle(replicas, '14,14');
    replicas.push(start());
    await settle(replicas, '9,9,10');
    await replicas.shift()!.supervisor.stop();
    await settle(replicas, '14,14');
    expect(doubles).toEqual([]);
  });

  it('are looked at less often by replicas that have their parts than by one that may take more', async () => {
    const looks: number[] = [];
    const startCounted = (place: number, options: Partial<SupervisorOptions<string>> = {}): Replica =>
      start({ onLook: () => (looks[place] = (looks[place] ?? 0) + 1), ...options });
    const full = Array.from({ length: 9 }, (_, place) => startCounted(place));
    await settle(full, '3,3,3,3,3,3,3,3,4');
    // It has loaded nothing yet: it is to see at once what it may take.
    startCounted(9, { prepare: () => new Promise(() => undefined) });
    looks.fill(0);
    await waitFor(() => (looks[9] ?? 0) >= 100);
    // Every fifth time, of ten replicas.
    expect(Math.max(...looks.slice(0, 9))).toBeLessThan(60);
  });

  it('begin with even parts when all start at once', async () => {
    await settle([start(), start(), start()], '9,9,10');
  });

  it('stay where they are while a replica has not loaded what they need, which does not count', async () => {
    const first = start();
    await settle([first], '28');
    let load: () => void = () => undefined;
    const loading = new Promise<void>((resolve) => (load = resolve));
    const second = start({ prepare: () => loading });
    const third = start();
    await settle([first, third], '14,14');
    expect(second.running.size).toBe(0);
    load();
    await settle([first, second, third], '9,9,10');
  });

  it('of a group are taken when that is loaded; what failed is loaded again', async () => {
    shares = new Map([
      ['evm:1', 'evm'],
      ['tron:1', 'tron'],
    ]);
    let failures = 2;
    const replica = start({
      groupOf: (item) => item,
      prepare: async (group) => {
        if (group === 'tron' && failures-- > 0) throw new Error('the database was away');
      },
    });
    await waitFor(() => replica.running.size === 2);
    expect(failures).toBe(-1);
  });
});

describe('a share', () => {
  it('whose node cannot be reached from here goes to another replica, and is not taken again', async () => {
    shares = new Map([['evm:1', 'first']]);
    const first = start();
    const work = await waitFor(() => first.running.get('evm:1'));
    const second = start();
    await waitFor(() => second.supervisor.stateOf('evm:1').type === 'standby');
    work.reportReach(false);
    await waitFor(() => second.running.get('evm:1'));
    // Not even when the other one has trouble: it waits for its 60 s.
    second.running.get('evm:1')!.reportReach(false);
    await waitFor(() => first.supervisor.stateOf('evm:1').type === 'standby');
    expect(second.running.size).toBe(1);
  });

  it('whose node nobody else may reach stays, and a node that answers again is no reason', async () => {
    shares = new Map([['evm:1', 'first']]);
    const first = start();
    const work = await waitFor(() => first.running.get('evm:1'));
    work.reportReach(false);
    const second = start();
    work.reportReach(true);
    await waitFor(() => second.supervisor.stateOf('evm:1').type === 'standby');
    expect([work.signal.aborted, first.running.get('evm:1')]).toEqual([false, work]);
  });

  it('that became another begins anew without being given up, and one that is gone is let go', async () => {
    shares = new Map([['evm:1', 'first']]);
    const replica = start();
    const { share } = await waitFor(() => replica.running.get('evm:1'));
    shares = new Map([['evm:1', 'second']]);
    const work = await waitFor(() => {
      const now = replica.running.get('evm:1');
      return now?.item === 'second' ? now : undefined;
    });
    expect(work.share).toBe(share);
    shares = new Map();
    // The lease is released when the work has ended.
    await waitFor(() => replica.running.size === 0 && replica.supervisor.owned.length === 0);
  });

  it('that ends by itself is not begun again at once', async () => {
    shares = new Map([['evm:1', 'first']]);
    let begun = 0;
    const replica = start({ work: async () => void (begun += 1), timing: { ...QUICK, lookMs: 3_600_000 } });
    await waitFor(() => replica.supervisor.stateOf('evm:1').type === 'unknown' && begun > 0);
    await waitFor(() => replica.supervisor.owned.length === 0);
    expect(begun).toBe(1);
  });
});
