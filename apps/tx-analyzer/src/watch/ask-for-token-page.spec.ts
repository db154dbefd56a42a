// SPDX-License-Identifier: Apache-2.0
import { network, TOKEN } from '@chainwatch/data/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { SpecWorld } from '../spec-world/spec-world.ts';
import { askForTokenPage } from './read-balances-again.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  world = await SpecWorld.start(postgres);
});
afterEach(() => world.stop());

const OTHER = `${network.gid}/erc20:0x${'07'.repeat(20)}`;
const register = async (projectId: string, assetGid: string) => {
  await world.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', 'x', 'fungible', 'active', 6) ON CONFLICT DO NOTHING`,
    [assetGid, network.gid],
  );
  await world.db.query(
    `INSERT INTO project_assets (project_id, asset_gid, read_after, read_after_id) VALUES ($1, $2, '-infinity', '00000000-0000-0000-0000-000000000000')`,
    [projectId, assetGid],
  );
};
const addAddresses = (projectId: string, count: number) =>
  world.db.query(
    `INSERT INTO addresses (project_id, chain_family, address, display, kind, format, is_monitored, created_at)
     SELECT $1::uuid, CASE WHEN n % 5 = 0 THEN 'solana' ELSE 'evm' END, $1::text || 'a' || n, 'a' || n, 'external', 'evm', n % 7 <> 0, now() - (n % 3) * interval '1 s'
     FROM generate_series(1, $2::int) AS n`,
    [projectId, count],
  );
/** The balance service reads what was asked for. */
const takeReads = async () =>
  (
    await world.rows<{
      address_id: string;
      asset_gid: string;
      project_id: string;
      block_number: number | null;
    }>(
      `WITH taken AS (DELETE FROM balance_reads WHERE reason = 'imported' RETURNING *)
       SELECT t.address_id, t.asset_gid, t.block_number, a.project_id FROM taken t JOIN addresses a ON a.id = t.address_id ORDER BY t.id`,
    )
  ).map((row) => row);
const watchedOf = async (projectId: string) =>
  (
    await world.rows<{ id: string }>(
      `SELECT id FROM addresses WHERE project_id = $1 AND chain_family = 'evm' AND is_monitored ORDER BY id`,
      [projectId],
    )
  ).map(({ id }) => id);

it('asks once for each watched address of the project, in pages, each when the one before is read', async () => {
  const [project, foreign] = [await world.addProject(), await world.addProject()];
  await addAddresses(project, 95);
  await addAddresses(foreign, 10);
  await register(project, TOKEN);
  const asked: string[] = [];
  let pages = 0;
  while (await askForTokenPage(world.db, network, 10)) {
    pages += 1;
    expect(await askForTokenPage(world.db, network, 10)).toBe(false);
    const taken = await takeReads();
    expect(taken.length).toBeLessThanOrEqual(10);
    expect(taken.every(({ asset_gid, block_number }) => asset_gid === TOKEN && block_number === null)).toBe(
      true,
    );
    asked.push(...taken.map(({ address_id }) => address_id));
  }
  expect(pages).toBe(10);
  expect(asked.toSorted()).toEqual(await watchedOf(project));
});

it('does not let a project wait for the addresses of another one', async () => {
  const [large, small] = [await world.addProject(), await world.addProject()];
  await addAddresses(large, 300);
  await addAddresses(small, 3);
  await register(large, TOKEN);
  await askForTokenPage(world.db, network, 10);
  await takeReads();
  await register(small, OTHER);
  await askForTokenPage(world.db, network, 10);
  const taken = await takeReads();
  expect(taken.map(({ project_id, asset_gid }) => [project_id, asset_gid])).toEqual(
    (await watchedOf(small)).map(() => [small, OTHER]),
  );
});
