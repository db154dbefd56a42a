// SPDX-License-Identifier: Apache-2.0
import { giveWorlds, type World } from '../spec-world.ts';
import { listUndispatched } from './undispatched.ts';

let world: World;
giveWorlds((given) => {
  world = given.world;
});

const shareOf = (projectId: string): number => Number.parseInt(projectId.slice(0, 2), 16) >> 2;

async function addProjectBeside(projectId: string): Promise<string> {
  const other = await world.addProject();
  return shareOf(other) === shareOf(projectId) ? addProjectBeside(projectId) : other;
}

async function insertMany(projectId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await world.insertEvent({ projectId })).eventId);
  return ids;
}

const list = async (limit: number, first = 0, aside: readonly string[] = []) =>
  (await listUndispatched(world.db, { limit, aside, first })).map(({ event_id: id }) => id);

it('one project with many events does not keep those of another one waiting', async () => {
  const many = await insertMany(world.projectId, 12);
  const other = await addProjectBeside(world.projectId);
  const few = await insertMany(other, 2);
  for (const first of [0, 1, 17, 63, 64, 1_000_001]) {
    const listed = await list(5, first);
    expect([...listed].sort()).toEqual([...many.slice(0, 3), ...few].sort());
    expect(listed.filter((id) => many.includes(id))).toEqual(many.slice(0, 3));
    expect(listed.filter((id) => few.includes(id))).toEqual(few);
  }
  // Each of the two is first at its own turn.
  expect((await list(5, 64 - shareOf(world.projectId)))[0]).toBe(many[0]);
  expect((await list(5, 64 - shareOf(other)))[0]).toBe(few[0]);
});

it('leaves out what is held or set aside, and goes on behind it', async () => {
  const [first, second, third] = await insertMany(world.projectId, 3);
  await world.db.query('UPDATE event_log SET is_held = true WHERE event_id = $1', [first]);
  expect(await list(1, 0, [second!])).toEqual([third]);
});

it('what an earlier release has queued goes before what came after it', async () => {
  const other = await addProjectBeside(world.projectId);
  const old = await insertMany(world.projectId, 3);
  await world.db.query('UPDATE undispatched_events SET share = -1');
  const later = await insertMany(world.projectId, 2);
  const beside = await insertMany(other, 1);
  expect(await list(2)).toEqual(old.slice(0, 2));
  expect(await list(10)).toEqual(old);
  await world.db.query('DELETE FROM undispatched_events WHERE share = -1');
  expect([...(await list(10))].sort()).toEqual([...later, ...beside].sort());
});
