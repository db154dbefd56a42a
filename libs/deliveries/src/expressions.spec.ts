// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from './spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));
beforeEach(async () => {
  await world.db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ('eip155:31337', 'evm', 'local', 'local', 'https://example.com/x.svg', true) ON CONFLICT DO NOTHING`,
  );
});

const TYPES = { event_types: ['transaction.detected', 'transaction.confirmed', 'balance.changed'] };
const addChannel = (path: string, filters: object, more: object = {}): Promise<string> =>
  world.addChannel(`${receiver.url}${path}`, { config: { ...TYPES, filters, ...more } });
const move = (raw: string, more: object = {}): object => ({
  ...{ index: 0, type: 'native', asset_gid: 'eip155:31337/slip44:60', from: '0x1', to: '0x2', decimals: 18 },
  ...{ amount: '1', amount_raw: raw, log_index: null, monitored_addresses: ['0x2'], ...more },
});
const idsTo = (path: string): string[] =>
  receiver.requests
    .filter(({ url }) => url.endsWith(path))
    .map(({ body }) => (JSON.parse(body) as { event_id: string }).event_id);
const errors = () =>
  world.rows<{ channel_id: string; count: string; last_error: string }>(
    'SELECT channel_id, count::text, last_error FROM channel_expression_errors',
  );
const isScheduled = async (): Promise<boolean> =>
  (await world.rows('SELECT FROM undispatched_events')).length === 0;

it('sends what the expression and all other filters let through, with amounts exact', async () => {
  const large = 'event.data.transaction.transfers.exists(t, amount(t.amount_raw) > 1000000000000000000000)';
  await addChannel('/all', {});
  await addChannel('/large', { expression: large });
  await addChannel('/large-out', { expression: large, direction: 'out' });
  await world.start();
  await world.emit({ transfers: [move('1000000000000000000000')] });
  const wanted = await world.emit({ transfers: [move('5'), move('1000000000000000000001', { index: 1 })] });
  await waitFor(() => idsTo('/all').length === 2);
  await world.waitForStatus(wanted, 'delivered');
  expect(idsTo('/large')).toEqual([wanted]);
  expect(idsTo('/large-out')).toEqual([]);
  expect(await errors()).toEqual([]);
});

it('an event without a member that it reads is not sent, and is counted once by however many replicas', async () => {
  const channelId = await addChannel('/x', { expression: 'event.data.current == "5"' });
  await addChannel('/guarded', {
    expression: 'event.type == "balance.changed" && event.data.current == "5"',
  });
  await addChannel('/all', {});
  let counted = 0;
  const onExpressionFaults = (count: number): void => void (counted += count);
  for (const owns of [true, false, false])
    await world.start({}, { onExpressionFaults }, { owns: () => owns });
  for (let count = 0; count < 20; count += 1) await world.emit({ transfers: [move('1')] });
  await waitFor(() => idsTo('/all').length === 20);
  expect(idsTo('/x')).toEqual([]);
  expect(await errors()).toEqual([
    { channel_id: channelId, count: '20', last_error: 'No such key: current' },
  ]);
  expect(counted).toBeGreaterThanOrEqual(20);
});

it('also of history, and of an event that no other filter is about', async () => {
  const channelId = await addChannel(
    '/x',
    { expression: 'event.data.current == "5"' },
    { include_historical: true },
  );
  await world.start();
  await world.db.query(
    `WITH e AS (INSERT INTO event_log (event_id, project_id, chain_gid, type, subject_kind, payload)
       VALUES (gen_random_uuid(), $1, 'eip155:31337', 'transaction.confirmed', 'history',
         '{"type": "transaction.confirmed", "data": {"transaction": {}}}') RETURNING id)
     INSERT INTO historical_dispatches SELECT $2, id FROM e`,
    [world.projectId, channelId],
  );
  await waitFor(async () => (await errors()).length > 0);
  expect(await errors()).toMatchObject([{ count: '1' }]);
  expect(await world.rows('SELECT FROM deliveries')).toEqual([]);
});

it.each([
  ['a function of another release', 'sum(event.data.transaction.transfers) > 5', 'no function sum'],
  ['a name that events have no more', 'event.data.gone == 1', 'events have no such member'],
  ['no language at all', 'event.type = 1', 'Unexpected character'],
])(
  'with %s nothing is sent, nothing is lost, and the incident says why',
  async (_name, expression, reason) => {
    const channelId = await addChannel('/x', { expression });
    await addChannel('/all', {});
    await world.start();
    const eventId = await world.emit();
    await waitFor(() => idsTo('/all').length === 1);
    await waitFor(isScheduled);
    expect(await world.rows('SELECT FROM deliveries WHERE channel_id = $1', [channelId])).toEqual([]);
    await waitFor(async () => (await world.rows('SELECT FROM incidents')).length > 0);
    expect(await world.rows('SELECT kind, subject_id, status, got FROM incidents')).toEqual([
      {
        ...{ kind: 'poison:channels', subject_id: channelId, status: 'quarantined' },
        got: expect.stringContaining(`the expression of the channel cannot be used: line 1`) as string,
      },
    ]);
    expect(
      await world.rows(`SELECT got FROM incidents WHERE got LIKE '%' || $1 || '%'`, [reason]),
    ).toHaveLength(1);

    await world.db.query(
      `UPDATE notification_channels SET config = jsonb_set(config, '{filters,expression}', '"true"') WHERE id = $1`,
      [channelId],
    );
    await waitFor(() => idsTo('/x').length === 1);
    expect(idsTo('/x')).toEqual([eventId]);
  },
);
