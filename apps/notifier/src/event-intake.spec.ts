import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import type { Database, Statement } from '@chainwatch/db';
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/testing-stack';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

/** The sweep never runs: what arrives came over the bus, or because the bus told of a gap. */
const NEVER = { sweepAfterMs: 3_600_000, sweepIntervalMs: 3_600_000 };
const IN_ORDER = { concurrencyPerChannel: 1 };

const arrived = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);

async function emit(count: number, isPublished = true): Promise<string[]> {
  const ids: string[] = [];
  for (let done = 0; done < count; done += 1) ids.push(await world.emit({ isPublished }));
  return ids;
}

async function administer(work: (manager: JetStreamManager) => Promise<unknown>): Promise<void> {
  const stranger = await connect({ servers: world.environment.NATS_URL });
  try {
    await work(await jetstreamManager(stranger));
  } finally {
    await stranger.close();
  }
}

describe('a notifier without its sweep', () => {
  beforeEach(() => world.addChannel(receiver.url));

  test('delivers what the bus lost before what came behind it', async () => {
    await world.start(IN_ORDER, NEVER);
    const sent = [
      ...(await emit(1)),
      ...(await emit(3, false)),
      ...(await emit(2)),
      ...(await emit(1, false)),
    ];
    const last = await emit(1);
    await waitFor(() => arrived().includes(last[0]));
    expect(arrived()).toEqual([...sent, ...last]);
  });

  test('delivers what was lost before the first event that it hears of', async () => {
    const before = await emit(2, false);
    await world.start(IN_ORDER, NEVER);
    await waitFor(() => arrived().length === 2);
    const sent = [...before, ...(await emit(2, false)), ...(await emit(1))];
    await waitFor(() => arrived().length === 5);
    expect(arrived()).toEqual(sent);
  });

  test('waits for events that come in another order than they were made in', async () => {
    await world.start(IN_ORDER, NEVER);
    const [first] = await emit(1);
    const late = await emit(1, false);
    const { rows } = await world.db.query<{ payload: string }>(
      'SELECT payload FROM event_log WHERE event_id = $1',
      late,
    );
    const early = await emit(1);
    await world.bus.publish('tx.detected', {
      tokens: [tokenOf(rows[0]!.payload), world.projectId],
      payload: JSON.parse(rows[0]!.payload),

      messageId: late[0]!,
      sequence: 2,
      type: 'transaction.detected',
    });
    await waitFor(() => arrived().length === 3);
    expect(arrived()).toEqual([first, late[0], early[0]]);
  });

  test('delivers what was made while its stream was deleted, in order', async () => {
    await world.start(IN_ORDER, NEVER);
    const sent = await emit(2);
    await waitFor(() => arrived().length === 2);
    await administer((manager) => manager.streams.delete('tx'));
    sent.push(...(await emit(2, false)), ...(await emit(2)));
    await waitFor(() => arrived().length === 6);
    expect(arrived()).toEqual(sent);
  });

  test('delivers what was made while its consumers were deleted, in order', async () => {
    await world.start(IN_ORDER, NEVER);
    const sent = await emit(2);
    await waitFor(() => arrived().length === 2);
    await administer(async (manager) => {
      for await (const { name } of manager.consumers.list('tx')) await manager.consumers.delete('tx', name);
    });
    sent.push(...(await emit(3)));
    await waitFor(() => arrived().length === 5);
    expect(arrived()).toEqual(sent);
  });

  test('takes up again what the database refused, before what comes', async () => {
    let isRefusing = true;
    const query = async (statement: string | Statement, values?: unknown[]): Promise<unknown> => {
      const text = typeof statement === 'string' ? statement : statement.text;
      if (isRefusing && text.includes('INSERT INTO deliveries')) {
        isRefusing = false;
        throw new Error('the database is away');
      }
      return world.db.query(statement as string, values);
    };
    await world.start(IN_ORDER, { ...NEVER, db: { ...world.db, query: query as Database['query'] } });
    const sent = await emit(3);
    await waitFor(() => arrived().length === 3);
    expect([isRefusing, arrived()]).toEqual([false, sent]);
  });
});

function tokenOf(payload: string): string {
  return (JSON.parse(payload) as { data: { transaction: { chain_gid: string } } }).data.transaction.chain_gid;
}
