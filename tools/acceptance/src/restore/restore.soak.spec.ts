// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { listLostWrites, type LostWrite } from '../../../db/src/list-lost-writes.ts';
import { findDisagreements } from '../compare.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { playScript } from '../evm/play-script.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import type { ReceivedEvent } from '../receiver.ts';
import type { Watched } from '../test-chain.ts';
import { ArchivedPostgres } from './archived-postgres.ts';

// docs/guides/backup-and-restore.md, step by step: a base backup under load, a point in time, what happens after it, and
// the way back.

const SEED = Number(process.env['SOAK_SEED'] ?? 99);
const MOMENT = 'before-the-mistake';
const POINTS = 5;

const chain = new EvmChain({ epochBlocks: 8 });
const postgres = new ArchivedPostgres();
const harness = new Harness(chain, { openPostgres: () => postgres.open() });
const random = new Random(SEED);
let watched: Watched[];

const anyText = expect.any(String) as string;
const objectWith = (members: object): object => expect.objectContaining(members) as object;

beforeAll(() => harness.start());
afterAll(() => harness.stop());

/** Of transactions, by what they tell: `type hash` → ids. */
function idsOf(events: Iterable<ReceivedEvent>): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const { type, transactionHash, eventId } of events) {
    if (transactionHash === undefined) continue;
    const key = `${type} ${transactionHash}`;
    ids.set(key, (ids.get(key) ?? new Set()).add(eventId));
  }
  return ids;
}

/** Payments to what is watched, and to one that only the lost database knows; no block of them goes away again. */
async function payAfterTheMoment(payees: readonly string[]): Promise<void> {
  const { actor } = chain;
  for (let payment = 0; payment < POINTS; payment += 1) {
    for (const payee of payees)
      await actor.sendEther(actor.accounts[0]!, payee as `0x${string}`, BigInt(100 + payment));
    await actor.mine(4);
    await delay(200);
  }
}

/** The events that the restored database has, as if a receiver had got them now. */
async function takeEvents(db: Database): Promise<void> {
  const { rows } = await db.query<{ payload: string }>('SELECT payload FROM event_log ORDER BY id');
  for (const { payload } of rows) {
    const body = JSON.parse(payload) as Record<string, unknown> & {
      event_id: string;
      type: string;
      sequence: number | null;
      data: { transaction?: { hash: string } };
    };
    if (harness.receiver.events.has(body.event_id)) continue;
    harness.receiver.events.set(body.event_id, {
      eventId: body.event_id,
      type: body.type,
      transactionHash: body.data.transaction?.hash,
      sequence: body.sequence,
      body,
      deliveryIds: [],
      receivedAtMs: 0,
    });
  }
}

async function listWrites(): Promise<LostWrite[]> {
  const lost = createDatabase({ url: postgres.lostUrl, applicationName: 'acceptance', poolSize: 1 });
  const writes: LostWrite[] = [];
  try {
    for await (const write of listLostWrites(harness.db, lost)) writes.push(write);
  } finally {
    await lost.close();
  }
  return writes;
}

it('nothing of the chain is lost, no event has a second id, and what the API wrote after the moment is listed', async () => {
  const { project, receiver, services, serviceNames } = harness;
  // 1. A base backup while histories with reorgs go on.
  const playing = playScript(harness, random, { steps: 60, reorgDepthMax: 4, disturb: () => delay(50) });
  await postgres.backUp();
  watched = await playing;
  const payee = watched[0]!.address;
  const channels = await project.get<{ items: { id: string }[] }>('/notification_channels');
  const channel = `/notification_channels/webhook/${channels.items[0]!.id}`;
  await project.expect(200, { method: 'PATCH', path: channel, body: { name: 'before' } });
  // 2. The moment, with work under way; then what is to be undone, and what the chain does meanwhile.
  await chain.actor.sendEther(chain.actor.accounts[0]!, payee as `0x${string}`, 1n);
  await chain.actor.mine(3);
  await postgres.nameMoment(MOMENT);
  const stranger = chain.actor.accounts[9]!;
  await harness.watch(stranger);
  await project.expect(200, { method: 'PATCH', path: channel, body: { name: 'after' } });
  await project.expect(200, {
    method: 'PATCH',
    path: `/addresses/${watched[1]!.address}`,
    body: { label: 'after' },
  });
  await payAfterTheMoment([payee, stranger]);
  await harness.settle();
  const told = new Map(receiver.events);
  // 3. Services stop, the archive gets the rest, and another server recovers to the moment.
  await services.stop();
  await postgres.archiveAll();
  await postgres.restore(MOMENT);
  // Connections to the old server are found broken first.
  const { rows } = await waitFor(() =>
    harness.db.query<{ head: number }>('SELECT cursor_number AS head FROM analyzer_states'),
  );
  expect(rows[0]!.head).toBeLessThan((await chain.readHead()).number);
  // 4. What the API wrote is listed, and nothing else.
  const writes = await listWrites();
  writes.sort((one, other) => `${one.table} ${one.write}`.localeCompare(`${other.table} ${other.write}`));
  expect(writes).toEqual([
    { table: 'addresses', write: 'changed', key: anyText, record: objectWith({ label: 'after' }) },
    {
      table: 'addresses',
      write: 'created',
      key: anyText,
      record: objectWith({ address: stranger.toLowerCase() }),
    },
    { table: 'notification_channels', write: 'changed', key: anyText, record: objectWith({ name: 'after' }) },
  ]);
  // 5. Services start. The chain goes on, too.
  receiver.events.clear();
  expect(receiver.faults.splice(0)).toEqual([]);
  await services.start(serviceNames);
  await payAfterTheMoment([payee]);
  await harness.settle();
  await waitFor(async () => (await project.request('GET', `/addresses/${stranger}`)).status === 404);
  expect(await project.get(channel.replace('webhook/', ''))).toMatchObject({ name: 'before' });
  // The receiver knew its secret before: what is sealed was opened. Otherwise every signature would be a fault.
  expect(receiver.faults.splice(0)).toEqual([]);
  const again = [...receiver.events.keys()].filter((id) => told.has(id));
  expect(again.length).toBeGreaterThan(0);
  // 6. What was told, before or after, is what the chain says; every event that is there has arrived once at least.
  const retold = new Map(receiver.events);
  await takeEvents(harness.db);
  const never = [...receiver.events.keys()].filter((id) => !told.has(id) && !retold.has(id));
  expect(never).toEqual([]);
  expect(await findDisagreements(harness, project, watched)).toEqual([]);
  const [before, after] = [idsOf(told.values()), idsOf(receiver.events.values())];
  for (const [key, ids] of after)
    expect([key, [...(before.get(key) ?? ids)].filter((id) => !ids.has(id))]).toEqual([key, []]);
  // An id never means two balances: who got it before would drop the second one.
  const contentOf = ({ data }: Record<string, unknown>): unknown => {
    const { current, block_hash: hash } = data as { current: string; block_hash: string };
    return [current, hash];
  };
  for (const [id, { type, body }] of retold)
    if (type === 'balance.changed' && told.has(id))
      expect([id, contentOf(body)]).toEqual([id, contentOf(told.get(id)!.body)]);
  console.log(`${told.size} events were told before, ${retold.size} after, ${again.length} of them again`);
}, 900_000);
