// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import {
  startStandbyWorld,
  STALENESS_MS,
  untilRead,
  type StandbyWorld,
} from '../spec-support/standby-world.ts';
import { DATA_AS_OF } from './choose-server.ts';

/** More of each disturbance. */
const rounds = process.env.SOAK === '1' ? 10 : 1;
/** A request waits for a standby that stands still until that is noticed. */
const ANSWER_MS_MAX = 10_000;

let the: StandbyWorld;
let keys: readonly string[];
beforeAll(async () => {
  the = await startStandbyWorld(2);
  const { management, project } = the.world;
  keys = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const permissions = ['api:address:read', 'api:address:write'];
      const sent = { type: 'api', name, project_id: project.projectId, permissions };
      return (await management.post('/management/keys').send(sent).expect(201)).body.key as string;
    }),
  );
  await untilRead(the);
});
afterAll(() => the.stop());

interface Write {
  readonly writer: number;
  readonly answeredAtMs: number;
  /** By the clock that X-Data-As-Of is of. */
  readonly answeredAt: number;
}

let added = 0;

/**
 * Two keys write and read through two gateways, at random. What each write added counts from its answer on: in a read of the
 * same key at once, in one of the other key within the bound, and in each by what X-Data-As-Of says.
 */
class History {
  readonly writes: Write[] = [];
  readonly faults: string[] = [];
  readonly counts = { standby: 0, primary: 0, longestMs: 0 };
  readonly #ended = new AbortController();
  readonly #work: Promise<unknown>;

  constructor() {
    const walkers = [0, 1].flatMap((key) => [this.#write(key), this.#read(key), this.#readOther(key)]);
    this.#work = Promise.all(walkers);
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#work;
  }

  async #call(method: 'GET' | 'POST', path: string, sent: { key: string; body?: object }) {
    const replica = the.replicas[Math.floor(Math.random() * 2)]!;
    const beganAtMs = performance.now();
    const answer = await replica.call(method, path, sent);
    const body = (await answer.json()) as { meta?: { total: number } };
    const tookMs = performance.now() - beganAtMs;
    this.counts.longestMs = Math.max(this.counts.longestMs, tookMs);
    if (tookMs > ANSWER_MS_MAX) this.faults.push(`${method} took ${Math.round(tookMs)} ms`);
    if (answer.status >= 300) this.faults.push(`${method} ${answer.status} ${JSON.stringify(body)}`);
    return { answer, total: body.meta?.total ?? 0 };
  }

  /** Some writes, then a pause in which the notes of them expire. */
  async #write(writer: number): Promise<void> {
    while (!this.#ended.signal.aborted) {
      for (let count = Math.random() * 4; count > 0; count -= 1) {
        const value = `0xcc${(added += 1).toString(16).padStart(38, '0')}`;
        const body = { value, chain_family: 'evm', label: `of ${writer}.` };
        await this.#call('POST', '/addresses/external', { key: keys[writer]!, body });
        this.writes.push({ writer, answeredAtMs: performance.now(), answeredAt: Date.now() });
        await this.#expect(writer, writer);
      }
      await delay(Math.random() * (STALENESS_MS + 2_500));
    }
  }

  async #read(reader: number): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await this.#expect(reader, reader);
      await delay(Math.random() * 40);
    }
  }

  async #readOther(reader: number): Promise<void> {
    while (!this.#ended.signal.aborted) {
      await this.#expect(reader, 1 - reader);
      await delay(Math.random() * 40);
    }
  }

  async #expect(reader: number, writer: number): Promise<void> {
    const beganAtMs = performance.now();
    const beganAt = Date.now();
    const path = `/addresses?limit=1&search=${encodeURIComponent(`of ${writer}.`)}`;
    const { answer, total } = await this.#call('GET', path, { key: keys[reader]! });
    const asOfText = answer.headers.get(DATA_AS_OF);
    this.counts[asOfText === null ? 'primary' : 'standby'] += 1;
    // A millisecond for what the header rounds down.
    const asOf = asOfText === null ? beganAt : Date.parse(asOfText);
    const isSeen = (write: Write): boolean =>
      write.answeredAt < asOf ||
      (write.answeredAtMs < beganAtMs &&
        (reader === writer || write.answeredAtMs < beganAtMs - STALENESS_MS));
    const expected = this.writes.filter((write) => write.writer === writer && isSeen(write)).length;
    if (total < expected)
      this.faults.push(`${reader} saw ${total} of ${expected} of ${writer}, as of ${asOfText ?? 'now'}`);
    if (beganAt - asOf > STALENESS_MS + 50) this.faults.push(`as of ${beganAt - asOf} ms before`);
  }
}

async function askStandby(text: string): Promise<void> {
  const url = new URL(the.world.databaseUrl);
  url.port = String(the.standby.port);
  const db = createDatabase({ url: url.href, applicationName: 'spec' });
  await db.query(text);
  await db.close();
}

/** Each is mended again. */
const disturbances: readonly (readonly [string, () => Promise<void>])[] = [
  ['nothing', () => delay(6_000)],
  [
    'a replay that is paused',
    async () => {
      await askStandby('SELECT pg_wal_replay_pause()');
      await waitFor(async () => !(await the.isRead()));
      await delay(1_500);
      await askStandby('SELECT pg_wal_replay_resume()');
    },
  ],
  [
    'a standby that stands still',
    async () => {
      the.standby.signal('SIGSTOP');
      await waitFor(async () => !(await the.isRead()));
      await delay(1_500);
      the.standby.signal('SIGCONT');
    },
  ],
  [
    'a standby that is killed',
    async () => {
      the.standby.signal('SIGKILL');
      await delay(1_500);
      await the.standby.restart();
    },
  ],
  ['a standby that is replaced', () => the.replaceStandby()],
  [
    'a Redis that comes back empty',
    async () => {
      await askStandby('SELECT pg_wal_replay_pause()');
      await the.redis.restart();
      await delay(STALENESS_MS);
      await askStandby('SELECT pg_wal_replay_resume()');
    },
  ],
];

/** @returns what was wrong, and how much was done */
async function whileUsed(work: (history: History) => Promise<void>): Promise<History> {
  const history = new History();
  try {
    await waitFor(() => history.counts.standby > 20, { message: 'reads of the standby' });
    await work(history);
    await untilRead(the);
    const { standby } = history.counts;
    await waitFor(() => history.counts.standby > standby + 20, { message: 'reads of the standby again' });
  } finally {
    await history.end();
  }
  return history;
}

it.each(Array.from({ length: rounds }, () => disturbances).flat())(
  'under load, %s makes no key miss a write of its own, no answer older than it says or may be, and none fail',
  async (_, disturb) => {
    const { faults, writes } = await whileUsed(disturb);
    expect(faults).toEqual([]);
    expect(writes.length).toBeGreaterThan(3);
  },
  120_000,
);

it('a standby that was promoted is not read, then the one that takes its place', async () => {
  const { faults } = await whileUsed(async ({ counts }) => {
    await the.standby.promote();
    await waitFor(async () => !(await the.isRead()), { message: 'the promotion to be noticed' });
    await delay(200);
    const { standby } = counts;
    // It goes on by itself: what it answers is no longer ours.
    await askStandby(`UPDATE addresses SET label = 'gone'`);
    await delay(STALENESS_MS + 1_000);
    expect(counts.standby).toBe(standby);
    await the.replaceStandby();
  });
  expect(faults).toEqual([]);
}, 120_000);

it('a write is not missed through another gateway when Redis has lost the note of it', async () => {
  const [one, other] = the.replicas;
  const add = async (name: string): Promise<void> => {
    const value = `0xee${(added += 1).toString(16).padStart(38, '0')}`;
    const body = { value, chain_family: 'evm', label: name };
    const answer = await one!.call('POST', '/addresses/external', { key: keys[0]!, body });
    expect(answer.status).toBe(201);
  };
  const count = async (name: string): Promise<number> => {
    const answer = await other!.call('GET', `/addresses?limit=1&search=${name}`, { key: keys[0]! });
    return ((await answer.json()) as { meta: { total: number } }).meta.total;
  };
  for (const [name, lose] of [
    ['kept', () => Promise.resolve()],
    ['lost', () => the.redis.restart()],
  ] as const) {
    await untilRead(the);
    await askStandby('SELECT pg_wal_replay_pause()');
    await add(name);
    await lose();
    await waitFor(() => other!.cache.isReady);
    expect([name, await count(name)]).toEqual([name, 1]);
    await askStandby('SELECT pg_wal_replay_resume()');
  }
}, 60_000);

it('a gateway that does not reach Redis answers a write once the standby shows it', async () => {
  await untilRead(the);
  const [one, other] = the.replicas;
  const cut = one!;
  const readThere = () => other!.call('GET', '/addresses?limit=1&search=unnoted', { key: keys[0]! });
  await waitFor(async () => (await readThere()).headers.has(DATA_AS_OF));
  await cut.cache.close();
  await waitFor(() => !cut.cache.isReady);
  for (let count = 0; count < 20; count += 1) {
    const value = `0xdd${(added += 1).toString(16).padStart(38, '0')}`;
    const body = { value, chain_family: 'evm', label: 'unnoted' };
    const answer = await cut.call('POST', '/addresses/external', { key: keys[0]!, body });
    expect(answer.status).toBe(201);
    const read = await readThere();
    expect(((await read.json()) as { meta: { total: number } }).meta.total).toBe(count + 1);
    expect(read.headers.has(DATA_AS_OF)).toBe(true);
  }
}, 60_000);
