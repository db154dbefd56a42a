// SPDX-License-Identifier: Apache-2.0
import type { PostgresHandle } from '@chainwatch/testing';
import { waitFor } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { NATIVE, TOKEN, World, type Move } from './spec-world/spec-world.ts';

const MAX = 2n ** 256n - 1n;
const POISONED = 0;
const OTHER = 1;

let postgres: PostgresHandle;
let world: World;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await World.create(await postgres.createDatabase(), 2);
  // The second address is another project's.
  await world.db.query(
    `WITH w AS (INSERT INTO workspaces (name) VALUES ('other') RETURNING id), p AS (INSERT INTO projects (workspace_id, name) SELECT id, 'other' FROM w RETURNING id)
     UPDATE addresses SET project_id = p.id FROM p WHERE addresses.id = $1`,
    [world.addresses[OTHER]!.id],
  );
});
afterEach(() => world.stop());

/** Claims nine times the largest amount: what the balance does not explain by them is no number that can be stored. */
const lies = (): Move[] =>
  Array.from({ length: 9 }, () => ({ assetGid: TOKEN, to: POISONED, amount: MAX, arriving: 0n }));
const pay = (index: number, amount: bigint): Move => ({ assetGid: NATIVE, to: index, amount });

async function listIncidents(): Promise<Record<string, unknown>[]> {
  const { rows } = await world.db.query<Record<string, unknown>>(
    'SELECT kind, status, subject_type, subject_id, asset_gid, project_id, got FROM incidents ORDER BY created_at',
  );
  return rows;
}

it('sets one balance aside, names it, and keeps all the others', async () => {
  await world.start();
  await world.mine([pay(POISONED, 1n), pay(OTHER, 2n)]);
  await world.settle();
  const before = world.calls;
  await world.mine([...lies(), pay(POISONED, 3n), pay(OTHER, 4n)]);
  await world.settle();
  // The step that failed, the search, and the step without it: a hostile contract makes each call dear.
  expect(world.calls - before).toBeLessThanOrEqual(8);
  expect(await listIncidents()).toEqual([
    {
      kind: 'poison:balances',
      status: 'quarantined',
      subject_type: 'address',
      subject_id: world.addresses[POISONED]!.id,
      asset_gid: TOKEN,
      project_id: world.projectId,
      got: 'numeric field overflow',
    },
  ]);
  expect([
    await world.current(POISONED, NATIVE),
    await world.current(OTHER, NATIVE),
    await world.current(POISONED, TOKEN),
  ]).toEqual([4n, 6n, undefined]);
  expect(world.broker.payloads('balance.changed').map(({ data }) => data.current)).toContain(
    '0.000000000000000006',
  );
  // What is set aside costs nobody anything any more.
  const calls = world.calls;
  await world.mine([...lies(), pay(OTHER, 1n)]);
  await world.settle();
  expect(world.calls - calls).toBeLessThan(4);
});

it('goes on from where the release before stood still', async () => {
  await world.mine([pay(POISONED, 1n), ...lies(), pay(OTHER, 2n)]);
  await world.mine([pay(OTHER, 5n)]);
  await world.start();
  await world.settle();
  expect([await world.current(POISONED, NATIVE), await world.current(OTHER, NATIVE)]).toEqual([1n, 7n]);
  expect(await listIncidents()).toHaveLength(1);
});

it('tries it again after a start and once it is due, and ends the incident when it can be stored', async () => {
  const { stop } = await world.start();
  await world.mine(lies());
  await world.settle();
  expect(await listIncidents()).toMatchObject([{ status: 'quarantined' }]);
  await stop();
  // The release of tomorrow can: as if the lies had not been stored.
  await world.db.query('DELETE FROM transfers WHERE asset_gid = $1', [TOKEN]);
  await world.mine([], [{ index: POISONED, assetGid: TOKEN, delta: 7n }]);
  await world.start();
  await waitFor(async () => (await listIncidents())[0]!.status === 'resolved');
  expect(await world.current(POISONED, TOKEN)).toBe(7n);
});

it('keeps the incident while it fails again', async () => {
  const { stop } = await world.start();
  await world.mine([{ assetGid: TOKEN, to: POISONED, amount: 1n }]);
  await world.settle();
  await world.mine(lies());
  await world.settle();
  await stop();
  await world.db.query(`UPDATE incidents SET retry_at = now() - interval '1 day'`);
  await world.start();
  await waitFor(
    async () =>
      (await world.db.query('SELECT FROM incidents WHERE retry_at > now()')).rows.length === 1 &&
      (await world.db.query('SELECT FROM balance_reads')).rows.length === 0,
  );
  await world.mine([pay(OTHER, 1n)]);
  await world.settle();
  expect(await listIncidents()).toMatchObject([{ status: 'quarantined' }]);
  expect([await world.current(OTHER, NATIVE), await world.current(POISONED, TOKEN)]).toEqual([1n, 1n]);
});

it('sets aside what a node never answers in time, and nothing while it answers nothing at all', async () => {
  await world.start();
  await world.mine([pay(OTHER, 1n)]);
  world.failures = 40;
  await world.settle();
  expect(await listIncidents()).toEqual([]);
  world.slow.add(TOKEN);
  await world.mine([{ assetGid: TOKEN, to: POISONED, amount: 1n }, pay(POISONED, 2n), pay(OTHER, 4n)]);
  await world.settle();
  expect(await listIncidents()).toMatchObject([
    { kind: 'poison:balances', asset_gid: TOKEN, subject_id: world.addresses[POISONED]!.id },
  ]);
  expect([await world.current(POISONED, NATIVE), await world.current(OTHER, NATIVE)]).toEqual([2n, 5n]);
});

it('takes the incident away with the address', async () => {
  await world.start();
  await world.mine(lies());
  await world.settle();
  await world.db.query('DELETE FROM addresses WHERE id = $1', [world.addresses[POISONED]!.id]);
  expect(await listIncidents()).toEqual([]);
});
