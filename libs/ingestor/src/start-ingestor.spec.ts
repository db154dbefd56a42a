// SPDX-License-Identifier: Apache-2.0
import { createBus, type Bus } from '@chainwatch/data/bus';
import { evmFamily } from '@chainwatch/chain-evm';
import { createDatabase, type Database } from '@chainwatch/data/db';
import {
  startAnvil,
  startNats,
  waitFor,
  type AnvilHandle,
  type NatsHandle,
  type PostgresHandle,
} from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import type { FeedEntry } from './feed.ts';
import { startIngestor, type Ingestor } from './start-ingestor.ts';
import type { IngestorOptions } from './ingestor-options.ts';
import { replayFeed } from './spec-support/replay-feed.ts';

const GID = 'eip155:31337';
const ignore = (): void => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, child: () => log };
/** Endpoints are stored in clear here: sealing is libs/platform/src/secrets' own. */
const opener = { open: (sealed: string) => sealed };

let postgres: PostgresHandle;
let nats: NatsHandle;
let anvil: AnvilHandle;
let db: Database;
let bus: Bus<'block-ingestor'>;
const running: Ingestor[] = [];

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), startNats()]);
});

afterAll(async () => {
  await Promise.all([postgres.stop(), nats.stop()]);
});

beforeEach(async () => {
  anvil = await startAnvil({ args: ['--mixed-mining', '--block-time', '3600'] });
  db = createDatabase({ url: await postgres.createDatabase(), applicationName: 'spec' });
  bus = await createBus('block-ingestor', { url: nats.url, isValidating: true });
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed) VALUES ($1, 'evm', 'anvil', 'anvil', '', true, $2)`,
    [GID, anvil.url],
  );
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((ingestor) => ingestor.stop()));
  await bus.close();
  await db.close();
  await anvil.stop();
});

function start(options: Partial<IngestorOptions> = {}): Ingestor {
  const ingestor = startIngestor({
    familyName: 'evm',
    family: evmFamily,
    db,
    bus,
    opener,
    log,
    ...options,
  });
  running.push(ingestor);
  return ingestor;
}

async function stop(ingestor: Ingestor): Promise<void> {
  running.splice(running.indexOf(ingestor), 1);
  await ingestor.stop();
}

interface State {
  readonly head_number: number;
  readonly head_hash: string;
  readonly finalized_number: number | null;
  readonly start_number: number;
  readonly node_head_number: number | null;
  readonly feed_seq: number;
  readonly token: number;
  readonly owner: string;
  readonly status: string;
  readonly reason: string | null;
}

async function readState(): Promise<State | undefined> {
  const { rows } = await db.query<State>(
    'SELECT s.*, o.owner, o.token FROM ingestor_states s JOIN owners o ON o.share = s.chain_gid WHERE s.chain_gid = $1',
    [GID],
  );
  return rows[0];
}

async function readFeed(): Promise<FeedEntry[]> {
  const { rows } = await db.query<FeedEntry>(
    `SELECT seq, type, number, hash, parent_hash AS "parentHash", timestamp, resume_seq AS "resumeSeq" FROM chain_feed WHERE chain_gid = $1 ORDER BY seq`,
    [GID],
  );
  return rows.map((row) => ({ ...row, resumeSeq: row.resumeSeq ?? undefined }));
}

function traceIdOf(traceparent: string): string {
  expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  return traceparent.slice(3, 35);
}

async function nodeHash(number: number): Promise<string | undefined> {
  return (
    await anvil.rpc<{ hash: string } | null>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
  )?.hash;
}

/** Waits until the stored head is the node's, and proves that the feed adds up to the node's chain. */
async function expectCaughtUp(): Promise<State> {
  const state = await waitFor(
    async () => {
      const [stored, number] = [await readState(), await anvil.blockNumber()];
      return stored?.head_number === number && stored.head_hash === (await nodeHash(number))
        ? stored
        : undefined;
    },
    { message: 'the ingestor to reach the head' },
  );
  const { chain } = replayFeed(await readFeed());
  const expected = await Promise.all(
    chain.map(async ({ number }) => ({ number, hash: await nodeHash(number) })),
  );
  expect(chain).toEqual(expected);
  expect(chain[0]?.number).toBe(state.start_number);
  expect(chain.at(-1)?.number).toBe(state.head_number);
  const { rows } = await db.query(
    `SELECT number, hash FROM blocks WHERE chain_gid = $1 AND status <> 'reorged' ORDER BY number`,
    [GID],
  );
  expect(rows).toEqual(chain);
  return state;
}

/** Replaces the newest blocks; a transaction in the first of them makes the new ones differ. */
async function reorg(depth: number): Promise<void> {
  const [from, to] = await anvil.rpc<string[]>('eth_accounts');
  await anvil.rpc('anvil_reorg', [depth, [[{ from, to, value: '0x1' }, 0]]]);
}

async function expectFinalized(): Promise<number> {
  const { number } = await anvil.rpc<{ number: string }>('eth_getBlockByNumber', ['finalized', false]);
  await waitFor(async () => (await readState())?.finalized_number === Number(number), {
    message: `finality at ${Number(number)}`,
  });
  return Number(number);
}

describe('the ingestor on a real node', () => {
  it('follows from the head on and publishes each committed entry', async () => {
    const seen: string[] = [];
    const traces = new Map<number, string | undefined>();
    const reader = await createBus('tx-analyzer', { url: nats.url });
    const unsubscribe = reader.subscribe('block.new', [GID], ({ payload, messageId, traceparent }) => {
      seen.push(`${messageId} ${payload.type} ${payload.number}`);
      traces.set(payload.seq, traceparent);
    });
    await anvil.mine(10);
    start();
    await expectCaughtUp();
    await anvil.mine(3);
    const state = await expectCaughtUp();
    expect(state).toMatchObject({ start_number: 10, head_number: 13, status: 'following', reason: null });
    const feed = await readFeed();
    await waitFor(
      () => feed.every(({ seq, type, number }) => seen.includes(`${GID}:${seq} ${type} ${number}`)),
      { message: () => `all of the feed on the bus, got ${seen.join()}` },
    );
    const { rows } = await db.query<{ seq: number; traceparent: string }>(
      'SELECT seq, traceparent FROM chain_feed WHERE chain_gid = $1 ORDER BY seq',
      [GID],
    );
    expect(rows.map(({ seq }) => traces.get(seq))).toEqual(rows.map(({ traceparent }) => traceparent));
    expect(new Set(rows.map(({ traceparent }) => traceIdOf(traceparent))).size).toBe(rows.length);
    unsubscribe();
    await reader.close();
  });

  it.each([1, 5, 64, 250])('follows a reorg of depth %i', async (depth) => {
    start({ startBlocks: { [GID]: 0 } });
    await anvil.mine(300);
    const before = await expectCaughtUp();
    const finalized = await expectFinalized();
    await reorg(depth);
    const after = await expectCaughtUp();
    expect(after.head_number).toBe(before.head_number);
    const undone = (await readFeed()).filter(({ type }) => type === 'reorg');
    expect(undone.map(({ number }) => number)).toEqual(
      Array.from({ length: depth }, (_, position) => before.head_number - position),
    );
    const isViolated = before.head_number - depth < finalized;
    expect(isViolated).toBe(depth > 64);
    expect(undone.every(({ resumeSeq }) => (resumeSeq !== undefined) === isViolated)).toBe(true);
  });

  it('sees a reorg that happened while it was down, at the same height', async () => {
    const first = start({ startBlocks: { [GID]: 0 } });
    await anvil.mine(40);
    await expectCaughtUp();
    await stop(first);
    await reorg(30);
    start();
    const state = await expectCaughtUp();
    expect(state.token).toBe(2);
    expect((await readFeed()).filter(({ type }) => type === 'reorg')).toHaveLength(30);
  });

  it('continues from where it stopped, whatever the gap', async () => {
    const first = start();
    await expectCaughtUp();
    await stop(first);
    await anvil.mine(2_500);
    start();
    const state = await expectCaughtUp();
    expect(state).toMatchObject({ start_number: 0, head_number: 2_500 });
  });

  it('publishes again what a crash left between commit and publication', async () => {
    const first = start({
      bus: {
        ...bus,
        publish: () => new Promise(() => undefined),
        subscribe: bus.subscribe,
        onStreamsRecreated: bus.onStreamsRecreated,
      },
    });
    await expectCaughtUp();
    await anvil.mine(3);
    await expectCaughtUp();
    await stop(first);
    const seen = new Set<number>();
    const reader = await createBus('tx-analyzer', { url: nats.url });
    reader.subscribe('block.new', [GID], ({ payload }) => void seen.add(payload.seq));
    start();
    const feed = await readFeed();
    await waitFor(() => feed.every(({ seq }) => seen.has(seq)), {
      message: () => `${feed.length} entries on the bus, got ${[...seen].join()}`,
    });
    await reader.close();
  });

  it('tells finality as the node does, and never above its own head', async () => {
    start({ startBlocks: { [GID]: 0 } });
    await anvil.mine(100);
    await expectCaughtUp();
    const finalized = await expectFinalized();
    expect(finalized).toBeGreaterThan(0);
    expect(replayFeed(await readFeed()).finalized?.number).toBe(finalized);
  });
});

describe('ownership of a chain', () => {
  it('belongs to one replica, and moves to another within 10 s of its end', async () => {
    const first = start();
    const { owner } = await expectCaughtUp();
    const second = start();
    await waitFor(() => second.readiness().chains[0]?.status === 'standby', {
      message: 'the second replica to stand by',
    });
    await anvil.mine(1);
    expect((await expectCaughtUp()).owner).toBe(owner);
    await stop(first);
    await anvil.mine(1);
    const state = await waitFor(
      async () => {
        const now = await readState();
        return now?.token === 2 ? now : undefined;
      },
      { message: 'the second replica to take over' },
    );
    expect(state.owner).not.toBe(owner);
    await expectCaughtUp();
  });

  it('ends for an owner after a take-over, which then stands by and takes the chain when that lease is over', async () => {
    const ingestor = start();
    const { owner } = await expectCaughtUp();
    await db.query(
      `UPDATE owners SET token = token + 1, owner = gen_random_uuid(), lease_until = clock_timestamp() + interval '3 s' WHERE share = $1`,
      [GID],
    );
    const { feed_seq } = (await readState())!;
    await anvil.mine(1);
    await waitFor(() => ingestor.readiness().chains[0]?.status === 'standby', {
      message: 'the stale owner to let go',
      intervalMs: 1,
    });
    expect((await readState())!.feed_seq).toBe(feed_seq);
    // Nobody renews that lease: it takes the chain again, with a new token.
    const state = await expectCaughtUp();
    expect(state).toMatchObject({ token: 3, owner });
  });
});

describe('what is not known', () => {
  it('is not told as the ownership of somebody else: owners that cannot be asked for', async () => {
    await db.query('ALTER TABLE owner_beats RENAME TO away');
    const ingestor = start();
    await waitFor(() => ingestor.readiness().chains[0]?.reason?.includes('owner_beats'), {
      message: 'the reason in the readiness',
    });
    expect(ingestor.readiness().chains[0]).toMatchObject({ status: 'unknown' });
    await db.query('ALTER TABLE away RENAME TO owner_beats');
  });

  it('begins when an owner does not say any more that it lives', async () => {
    start();
    await expectCaughtUp();
    const age = async (): Promise<number> =>
      (
        await db.query<{ age: number }>(
          'SELECT extract(epoch FROM now() - updated_at)::int AS age FROM ingestor_states',
        )
      ).rows[0]!.age;
    await db.query(
      `UPDATE ingestor_states SET updated_at = now() - interval '1 hour', node_head_number = NULL`,
    );
    // No block comes: nothing but the beat tells.
    await waitFor(async () => (await age()) < 30, { message: 'the beat' });
    expect((await readState())?.node_head_number).toBe(await anvil.blockNumber());
  });

  it('is written of the nodes with every beat: those that answer, those that do not, and no credential', async () => {
    const { port } = new URL(anvil.url);
    await db.query('UPDATE blockchains SET endpoint_sealed = $1', [
      `http://user:secret@127.0.0.1:${port}/?token=secret`,
    ]);
    start({ endpoints: { [GID]: ['http://127.0.0.1:1/secret'] } });
    await expectCaughtUp();
    const readNodes = async () =>
      (
        await db.query<{ nodes: Record<string, unknown>[]; age: number }>(
          'SELECT nodes, extract(epoch FROM now() - nodes_at)::int AS age FROM ingestor_states',
        )
      ).rows[0]!;
    await waitFor(async () => (await readNodes()).nodes[1]?.last_error_at, { message: 'the beat' });
    const { nodes, age } = await readNodes();
    expect(age).toBeLessThan(30);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(nodes).toMatchObject([
      {
        url: `http://127.0.0.1:${port}`,
        is_in_use: true,
        head_number: await anvil.blockNumber(),
        latency_ms: expect.any(Number),
        last_success_at: time,
        last_error_at: null,
        last_error: null,
      },
      {
        ...{ url: 'http://127.0.0.1:1', is_in_use: false, head_number: null, latency_ms: null },
        ...{ last_success_at: null, last_error_at: time, last_error: expect.any(String) },
      },
    ]);
    expect(JSON.stringify(nodes)).not.toContain('secret');
  });
});

describe('outages', () => {
  it('goes on committing while the bus is away', async () => {
    const ownNats = await startNats();
    const ownBus = await createBus('block-ingestor', { url: ownNats.url });
    const ingestor = start({ bus: ownBus });
    await expectCaughtUp();
    await ownNats.stop();
    await anvil.mine(5);
    await expectCaughtUp();
    await stop(ingestor);
    await ownBus.close();
  });

  it('goes on by itself after the database was restarted', async () => {
    const own = await startPostgres({ isOwn: true });
    const sharedDb = db;
    db = createDatabase({ url: own.url, applicationName: 'spec' });
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed) VALUES ($1, 'evm', 'anvil', 'anvil', '', true, $2)`,
      [GID, anvil.url],
    );
    const ingestor = start();
    await expectCaughtUp();
    await own.server!.crash();
    await anvil.mine(5);
    await waitFor(() => ingestor.readiness().reason, { message: 'the outage in the readiness' });
    await own.server!.restart();
    const state = await expectCaughtUp();
    expect(state).toMatchObject({ head_number: 5 });
    await waitFor(() => ingestor.readiness().reason === undefined, {
      message: 'the end of the outage in the readiness',
    });
    await stop(ingestor);
    await db.close();
    await own.stop();
    db = sharedDb;
  });
});

describe('changes of a chain', () => {
  it('stops after the deactivation, and continues after the activation', async () => {
    const ingestor = start();
    await expectCaughtUp();
    await db.query('UPDATE blockchains SET is_active = false, updated_at = now() WHERE gid = $1', [GID]);
    await waitFor(() => ingestor.readiness().chains.length === 0, { message: 'the chain to be let go' });
    const { head_number } = (await readState())!;
    await anvil.mine(5);
    await db.query('UPDATE blockchains SET is_active = true, updated_at = now() WHERE gid = $1', [GID]);
    const state = await expectCaughtUp();
    expect(state.head_number).toBe(head_number + 5);
  });

  it('takes up another endpoint', async () => {
    const away = `http://127.0.0.1:9`;
    await db.query('UPDATE blockchains SET endpoint_sealed = $2 WHERE gid = $1', [GID, away]);
    const ingestor = start();
    await waitFor(async () => (await readState())?.status === 'stalled', {
      message: 'the chain to be stalled',
    });
    expect((await readState())!.reason).not.toBeNull();
    expect(ingestor.readiness().chains[0]).toMatchObject({ status: 'stalled' });
    await db.query('UPDATE blockchains SET endpoint_sealed = $2, updated_at = now() WHERE gid = $1', [
      GID,
      anvil.url,
    ]);
    const state = await expectCaughtUp();
    expect(state).toMatchObject({ status: 'following', reason: null });
  });

  it('says so when no endpoint is configured, and when the build has no code for the family', async () => {
    await db.query('UPDATE blockchains SET endpoint_sealed = NULL WHERE gid = $1', [GID]);
    const first = start();
    await waitFor(async () => (await readState())?.reason === 'no endpoint is configured', {
      message: 'the reason',
    });
    await stop(first);
    const second = start({ family: undefined });
    await waitFor(
      async () => (await readState())?.reason === 'chain family evm is not configured in this build',
      { message: 'the reason' },
    );
    expect(second.readiness().chains[0]).toMatchObject({
      status: 'stalled',
      reason: 'chain family evm is not configured in this build',
    });
  });

  it('does not follow a node of another chain', async () => {
    const other = await startAnvil({ args: ['--chain-id', '5'] });
    await db.query('UPDATE blockchains SET endpoint_sealed = $2 WHERE gid = $1', [GID, other.url]);
    start();
    await waitFor(async () => (await readState())?.status === 'stalled', {
      message: 'the chain to be stalled',
    });
    expect(await readState()).toMatchObject({ head_number: null, feed_seq: 0 });
    expect((await readState())!.reason).toMatch(/another chain/);
    await other.stop();
  });

  it('uses a configured endpoint when the first one is away', async () => {
    await db.query('UPDATE blockchains SET endpoint_sealed = $2 WHERE gid = $1', [GID, 'http://127.0.0.1:9']);
    start({ endpoints: { [GID]: [anvil.url] } });
    await expectCaughtUp();
  });
});

describe('a reset of the chain', () => {
  const ask = (fromBlock: number | null = null) =>
    db.query('INSERT INTO resets (chain_gid, from_block) VALUES ($1, $2)', [GID, fromBlock]);
  const isDone = async (): Promise<boolean> =>
    (await db.query(`SELECT FROM resets WHERE chain_gid = $1 AND status = 'running'`, [GID])).rowCount === 0;

  it('goes on with a node that began anew and is lower than before', async () => {
    await anvil.mine(30);
    start();
    await expectCaughtUp();
    await anvil.mine(30);
    expect(await expectCaughtUp()).toMatchObject({ start_number: 30, head_number: 60 });
    // A later genesis is another one: nothing of the chain before is left.
    await anvil.rpc('anvil_reset');
    await anvil.rpc('evm_setNextBlockTimestamp', [2_000_000_000]);
    await anvil.mine(4);
    await waitFor(async () => (await readState())?.status === 'stalled', { message: 'the chain to wait' });
    expect(await readState()).toMatchObject({
      head_number: 60,
      node_head_number: 4,
      reason: expect.stringContaining('reset the chain'),
    });
    await ask();
    await waitFor(isDone, { message: 'the end of the reset' });
    expect(await expectCaughtUp()).toMatchObject({ start_number: 1, head_number: 4 });
    await waitFor(async () => (await readState())?.status === 'following', {
      message: 'the chain to be followed',
    });
    await anvil.mine(2);
    expect(await expectCaughtUp()).toMatchObject({ head_number: 6, node_head_number: 6 });
  });

  it('goes on with the next owner where the one before ended, and keeps what is below its block', async () => {
    start({ startBlocks: { [GID]: 0 } });
    await anvil.mine(700);
    await expectCaughtUp();
    const first = running[0]!;
    await ask(100);
    await waitFor(async () => (await readFeed()).some(({ type }) => type === 'reorg'), {
      message: 'the first step',
      intervalMs: 1,
    });
    await stop(first);
    start();
    await waitFor(isDone, { message: 'the end of the reset' });
    expect(await expectCaughtUp()).toMatchObject({ start_number: 0, head_number: 700 });
    const undone = (await readFeed()).filter(({ type }) => type === 'reorg');
    expect(undone.map(({ number }) => number)).toEqual(
      Array.from({ length: 601 }, (_, position) => 700 - position),
    );
    expect(new Set(undone.map(({ resumeSeq }) => resumeSeq))).toEqual(new Set([undone.at(-1)!.seq]));
  });

  it('is done with before a chain begins that was never followed, which then begins at its block', async () => {
    await anvil.mine(20);
    await ask(5);
    start();
    expect(await expectCaughtUp()).toMatchObject({ start_number: 5, head_number: 20 });
    expect(await isDone()).toBe(true);
  });
});

describe('where a chain begins', () => {
  it('is stored with the chain, and counts before what the environment says', async () => {
    await anvil.mine(20);
    await db.query('UPDATE blockchains SET start_block = 7');
    start({ startBlocks: { [GID]: 12 } });
    expect(await expectCaughtUp()).toMatchObject({ start_number: 7, head_number: 20 });
  });
});
