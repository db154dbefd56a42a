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

const OFTEN = { pollMs: 50 };
const arrived = (): unknown[] => receiver.requests.map(({ headers }) => headers['x-webhook-event-id']);
const incidents = async () =>
  (
    await world.db.query(
      'SELECT kind, status, subject_type, subject_id, project_id, chain_gid FROM incidents',
    )
  ).rows;
const untilAside = () => waitFor(async () => (await incidents()).length === 1, { message: 'the incident' });
const untilResolved = () =>
  waitFor(async () => (await incidents())[0]?.['status'] === 'resolved', {
    message: 'it to be resolved',
  });

/** The database refuses the deliveries of the event as long as the trigger is there. */
async function refuse(eventId: string): Promise<void> {
  await world.db.query(
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF NEW.event_id = '${eventId}' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '22003'; END IF; RETURN NEW; END $$`,
  );
  await world.db.query(
    'CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse()',
  );
}
const named = (eventId: string, chainGid: unknown) => ({
  kind: 'poison:dispatch',
  status: 'quarantined',
  subject_type: 'event',
  subject_id: eventId,
  project_id: world.projectId,
  chain_gid: chainGid,
});
const chainOf = async (eventId: string): Promise<unknown> =>
  (await world.db.query('SELECT chain_gid FROM event_log WHERE event_id = $1', [eventId])).rows[0]![
    'chain_gid'
  ];

describe('an event whose deliveries the database refuses', () => {
  let poison: string;
  let others: string[];
  beforeEach(async () => {
    await world.addChannel(receiver.url);
    others = [await world.emit({ isPublished: false })];
    poison = await world.emit({ isPublished: false });
    others.push(await world.emit({ isPublished: false }));
    await refuse(poison);
    await world.start(OFTEN);
    await untilAside();
  });

  test('is set aside and named to its project, and the others are delivered, also those that come', async () => {
    for (const eventId of others) await world.waitForStatus(eventId, 'delivered');
    const next = await world.emit();
    await world.waitForStatus(next, 'delivered');
    expect(arrived()).not.toContain(poison);
    expect(await incidents()).toEqual([named(poison, await chainOf(poison))]);
  });

  test('is delivered once it can be, on reprocess or the next day', async () => {
    await world.db.query('DROP TRIGGER refuse ON deliveries');
    await world.db.query('UPDATE incidents SET retry_at = now()');
    await world.waitForStatus(poison, 'delivered');
    await untilResolved();
  });

  test('is delivered once it can be, after a start', async () => {
    await world.db.query('DROP TRIGGER refuse ON deliveries');
    await world.start(OFTEN);
    await world.waitForStatus(poison, 'delivered');
    await untilResolved();
  });
});

test('sets an event aside that code of ours cannot read', async () => {
  await world.addChannel(receiver.url, { config: { filters: { chain_gids: ['eip155:31337'] } } });
  const poison = await world.emit({ isPublished: false });
  await world.db.query(`UPDATE event_log SET payload = 'no JSON' WHERE event_id = $1`, [poison]);
  const other = await world.emit({ isPublished: false });
  await world.start(OFTEN);
  await world.waitForStatus(other, 'delivered');
  await untilAside();
  expect(await incidents()).toEqual([named(poison, await chainOf(poison))]);
});
