// SPDX-License-Identifier: Apache-2.0
import { createDatabase } from '@chainwatch/data/db';
import { startTcpProxy, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { createFakeBroker, NATIVE, network, startPostgres, type FakeBroker } from '@chainwatch/data/testing';
import { createLogger } from '@chainwatch/platform/telemetry';
import { StepWorld, type SpecAddress } from './spec-world/spec-step-world.ts';
import {
  startBalanceService,
  type BalanceService,
  type BalanceServiceDeps,
} from './start-balance-service.ts';

const A = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const STRANGER = '0xcccccccccccccccccccccccccccccccccccccccc';
const CHECK = `chain ${network.gid}`;

let postgres: PostgresHandle;
let world: StepWorld;
let broker: FakeBroker;
let alice: SpecAddress;
let stops: (() => Promise<void>)[];
const services = new Map<string, BalanceService>();

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await StepWorld.start(postgres);
  broker = createFakeBroker();
  alice = await world.watch(await world.addProject(), A);
  stops = [];
  services.clear();
});
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  await world.stop();
});

async function start(
  name: string,
  options: Partial<BalanceServiceDeps> & { url?: string } = {},
): Promise<BalanceService> {
  const db = createDatabase({ url: options.url ?? world.url, applicationName: name, poolSize: 4 });
  const service = startBalanceService({
    db,
    bus: broker.connect('balance-service'),
    logger: createLogger({ service: 'spec', level: 'silent' }),
    openReader: async () => world.chain.client(),
    ...options,
  });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= service.stop().then(() => db.close()));
  stops.push(stop);
  services.set(name, service);
  return { ...service, stop };
}

const settle = (): Promise<boolean> =>
  waitFor(async () => (await world.countWork()) === 0, { message: 'no work to be left' });
const receive = async (amount: bigint): Promise<void> =>
  void (await world.advance([{ assetGid: NATIVE, from: STRANGER, to: A, amount }]));
/** The replica that says that the chain is its own; the database names one at most. */
async function findOwner(): Promise<string | undefined> {
  const owned: string[] = [];
  for (const [name, service] of services)
    if (((await service.readiness())[CHECK] as { status?: string } | undefined)?.status === 'following')
      owned.push(name);
  expect(owned.length).toBeLessThan(2);
  return owned[0];
}
/** In the database. */
const isOwned = async (): Promise<boolean> =>
  (await world.rows('SELECT 1 FROM share_leases WHERE lease_until > clock_timestamp()')).length > 0;
const published = (): (string | null)[] =>
  broker.payloads('balance.changed').map((payload) => payload.data.current);

describe('the service', () => {
  it('says every 10 s that a chain has an owner, while the node answers nothing', async () => {
    let asked = 0;
    let answer!: () => void;
    const answering = new Promise<void>((resolve) => (answer = resolve));
    const reader = world.chain.client();
    const silent: typeof reader = {
      ...reader,
      readBalances: async (...args) => {
        asked += 1;
        await answering;
        return reader.readBalances(...args);
      },
    };
    await start('one', { openReader: async () => silent });
    stops.push(async () => answer());
    await receive(5n);
    await waitFor(() => asked > 0);
    await world.db.query(`UPDATE balance_states SET updated_at = now() - interval '1 hour'`);
    const isFresh = (): Promise<unknown[]> =>
      world.rows(`SELECT 1 FROM balance_states WHERE updated_at > now() - interval '30 seconds'`);
    await waitFor(async () => (await isFresh()).length > 0, { timeoutMs: 30_000 });
    // At the block and just before it, and not again.
    expect(asked).toBe(2);
    answer();
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(5n);
  });

  it('publishes what changed, marks it, and is ready', async () => {
    const service = await start('one');
    await settle();
    await receive(10n ** 18n);
    await waitFor(() => published().length === 1);
    expect(published()).toEqual(['1']);
    await waitFor(async () => (await world.rows('SELECT 1 FROM unpublished_events')).length === 0);
    expect(await service.readiness()).toEqual({
      postgres: { ok: true },
      nats: { ok: true },
      [CHECK]: { ok: true, status: 'following' },
    });
  });

  it('is woken by a message of the analyzer, well before it looks by itself', async () => {
    await start('one', { idleMs: 3_600_000 });
    await settle();
    await receive(5n);
    const id = '6f1d1f4e-0000-5000-8000-000000000001';
    const transaction = {
      id,
      chain_gid: network.gid,
      hash: '0x1',
      status: 'detected' as const,
      direction: 'in' as const,
      block_number: 1,
      block_hash: '0x1',
      block_timestamp: null,
      tx_index: 0,
      confirmations: 1,
      required_confirmations: 3,
      fee: null,
      memo: null,
      transfers: [],
      replaced_by: null,
      verification: 'proved' as const,
      detected_at: new Date().toISOString(),
      confirmed_at: null,
      matures_at_block: null,
      reorged_at: null,
    };
    const data = { transaction, balance_changes: [], addresses: [], truncated: false };
    const envelope = {
      event_id: id,
      type: 'transaction.detected' as const,
      api_version: 'v1' as const,
      created_at: new Date().toISOString(),
      is_test_message: false,
      project_id: alice.projectId,
      sequence: 1,
      data,
    };
    await broker
      .connect('tx-analyzer')
      .publish('tx.detected', { tokens: [network.gid, alice.projectId], payload: envelope, messageId: id });
    await waitFor(() => published().length === 1);
  });

  it('brings to the bus what was committed while it was away, once, after a restart', async () => {
    const first = await start('one');
    await settle();
    broker.isUp = false;
    await receive(10n ** 18n);
    await settle();
    await first.stop();
    broker.isUp = true;
    await start('two');
    await waitFor(() => published().length === 1);
    expect(published()).toEqual(['1']);
  });

  it('publishes again when the streams are lost', async () => {
    await start('one');
    await settle();
    await receive(10n ** 18n);
    await waitFor(() => published().length === 1);
    broker.wipe();
    expect(published()).toEqual([]);
    await waitFor(() => published().length === 1);
  });

  it('says why nothing moves while the node fails, and goes on by itself', async () => {
    const service = await start('one');
    await settle();
    world.chain.isDown = true;
    await receive(10n ** 18n);
    // The process itself is ready: another replica would not do better.
    const check = async (): Promise<{ reason?: string }> =>
      (await service.readiness())[CHECK] as { reason?: string };
    await waitFor(async () => (await check()).reason !== undefined);
    expect(await check()).toEqual({ ok: true, status: 'stalled', reason: 'the node is down' });
    world.chain.isDown = false;
    await waitFor(() => published().length === 1);
    await waitFor(async () => (await check()).reason === undefined);
    expect(await check()).toEqual({ ok: true, status: 'following' });
  });

  it('stops in the middle of a question to the node without losing it', async () => {
    const first = await start('one');
    await settle();
    let asked = 0;
    world.chain.onRead = (signal) => {
      asked += 1;
      return new Promise((_resolve, reject) =>
        signal!.addEventListener('abort', () => reject(signal!.reason)),
      );
    };
    await receive(5n);
    await waitFor(() => asked > 0);
    await first.stop();
    world.chain.onRead = undefined;
    expect(await world.events()).toEqual([]);
    expect(await world.countWork()).toBe(1);
    await start('two');
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(5n);
  });
});

describe('replicas', () => {
  it('share a chain by its row: the other one takes over when the first is cut off, and nothing is told twice', async () => {
    const proxy = await startTcpProxy(Number(new URL(world.url).port));
    const url = new URL(world.url);
    url.port = String(proxy.port);
    await start('one', { url: url.href });
    await waitFor(async () => (await findOwner()) === 'one');
    await start('two');
    await receive(1n);
    await settle();
    expect(await findOwner()).toBe('one');
    await waitFor(async () => (await services.get('two')!.readiness())[CHECK], {
      message: 'the other one to know the chain',
    });
    expect((await services.get('two')!.readiness())[CHECK]).toEqual({ ok: true, status: 'standby' });
    proxy.cut();
    await receive(1n);
    await settle();
    expect(await findOwner()).toBe('two');
    proxy.mend();
    await receive(1n);
    await settle();
    expect(await findOwner()).toBe('two');
    expect((await world.events()).map((event) => event.sequence)).toEqual([1, 2, 3]);
    expect(await world.adjustmentsOf(alice, NATIVE)).toEqual([]);
    await Promise.all(stops.map((stop) => stop()));
    await proxy.stop();
  });

  it('give the chain back when they stop', async () => {
    const first = await start('one');
    await waitFor(async () => (await findOwner()) === 'one');
    await first.stop();
    expect(await isOwned()).toBe(false);
  });
});

describe('chains', () => {
  const changed = (): Promise<void> =>
    broker.connect('api-gateway').publish('chain.changed', {
      tokens: [network.gid],
      payload: { schema: 1, chain_gid: network.gid },
      messageId: String(Math.random()),
    });

  it('are asked at another endpoint as soon as it is set', async () => {
    const opened: (string | null)[] = [];
    const openReader: BalanceServiceDeps['openReader'] = async (chain) => {
      opened.push(chain.endpointSealed);
      return world.chain.client();
    };
    await world.db.query(`UPDATE blockchains SET endpoint_sealed = 'first'`);
    await start('one', { openReader });
    await settle();
    await world.db.query(`UPDATE blockchains SET endpoint_sealed = 'second'`);
    await changed();
    await waitFor(() => opened.length === 2);
    expect(opened).toEqual(['first', 'second']);
    await receive(5n);
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(5n);
  });

  it('are left alone from their deactivation on, until they are activated again', async () => {
    const service = await start('one');
    await settle();
    await world.db.query('UPDATE blockchains SET is_active = false');
    await changed();
    await waitFor(async () => !(await isOwned()));
    expect(await service.readiness()).toEqual({ postgres: { ok: true }, nats: { ok: true } });
    await receive(5n);
    world.chain.asked.length = 0;
    await world.db.query('UPDATE blockchains SET is_active = true');
    await settle();
    expect(await world.balanceOf(alice, NATIVE)).toBe(5n);
  });

  it('do not suffer from one whose endpoint cannot be opened', async () => {
    await world.db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active, endpoint_sealed) VALUES ('eip155:0', 'evm', 'a', 'a', '', true, 'broken')`,
    );
    const openReader: BalanceServiceDeps['openReader'] = async (chain) => {
      if (chain.endpointSealed === 'broken') throw new Error('the key is not known');
      return world.chain.client();
    };
    const service = await start('one', { openReader });
    await settle();
    expect(await service.readiness()).toMatchObject({
      [CHECK]: { ok: true, status: 'following' },
      'chain eip155:0': { ok: true, status: 'stalled', reason: 'the key is not known' },
    });
  });
});
