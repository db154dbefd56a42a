// SPDX-License-Identifier: Apache-2.0
import type { AddressInfo } from 'node:net';
import { openEventStream, waitFor, type EventStreamClient } from '@chainwatch/testing';
import { givePositions, insertEvent } from '../spec-support/positions.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const MANY = 30_000;

let world: SpecWorld;
const streams: EventStreamClient[] = [];
beforeAll(async () => {
  world = await startSpecWorld();
}, 60_000);
afterAll(async () => {
  for (const stream of streams) stream.close();
  await world.stop();
});

async function open(key: string, query = ''): Promise<EventStreamClient> {
  const { port } = world.server.address() as AddressInfo;
  const stream = await openEventStream(`http://127.0.0.1:${port}/v1/events/stream${query}`, {
    'x-api-key': key,
  });
  streams.push(stream);
  await waitFor(() => stream.lastEventId !== undefined);
  return stream;
}

/** As a history of many transactions makes them. */
async function insertMany(projectId: string): Promise<void> {
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, subject_kind, payload)
     SELECT gen_random_uuid(), $1, 'eip155:1', 'balance.changed', 'balance.changed', '{}' FROM generate_series(1, ${MANY})`,
    [projectId],
  );
  await givePositions(world.db);
}

it('tells one project its news while another has very much to be told', async () => {
  const [mine, greedy] = [await open(world.project.keys.api), await open(world.otherProject.keys.api)];
  await insertMany(world.otherProject.projectId);
  await waitFor(() => greedy.events.length > 0);
  const eventId = await insertEvent(world.db, world.project.projectId);
  await givePositions(world.db);
  await waitFor(() => mine.events.some(({ data }) => data.includes(eventId)));
  expect(greedy.isOver).toBe(false);
  expect(greedy.events.length).toBeLessThan(MANY);
  await waitFor(() => greedy.events.length === MANY);
}, 60_000);

it('lets one project catch up while another begins from its first event with every stream it may have', async () => {
  const greedy = await Promise.all(
    Array.from({ length: 20 }, () => open(world.otherProject.keys.api, '?after=0')),
  );
  const mine = await open(world.project.keys.api, '?after=0');
  await waitFor(() => mine.events.length === 1);
  expect(greedy.filter(({ events }) => events.length === MANY)).toEqual([]);
}, 60_000);
