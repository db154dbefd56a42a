// SPDX-License-Identifier: Apache-2.0
import { createDatabase, type Database } from '@chainwatch/data/db';
import { waitFor } from '@chainwatch/testing';
import { DATA_AS_OF } from '../../reads/choose-server.ts';
import { startStandbyWorld, untilRead, type StandbyWorld } from '../../spec-support/standby-world.ts';

let the: StandbyWorld;
let standby: Database;
beforeAll(async () => {
  the = await startStandbyWorld(1);
  const url = new URL(the.world.databaseUrl);
  url.port = String(the.standby.port);
  standby = createDatabase({ url: url.href, applicationName: 'spec' });
  await untilRead(the);
}, 120_000);
afterAll(async () => {
  await standby.close();
  await the.stop();
});

async function read(path: string, accept = 'application/json') {
  const headers = { 'x-api-key': the.world.project.keys.api, accept };
  const url = `http://127.0.0.1:${the.replicas[0]!.gateway.port}/v1/reconciliations${path}`;
  const answer = await fetch(url, { headers });
  const lines = (await answer.text()).match(/"line":\d+/g) ?? [];
  return { count: lines.length, isOfStandby: answer.headers.has(DATA_AS_OF) };
}
const isRead = async (path: string): Promise<boolean> => (await read(path)).isOfStandby;

it('is read from the primary until the standby, too, has the reconciliation as completed', async () => {
  const { db, project } = the.world;
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO reconciliations (project_id, workspace_id, format, scope, include_fees, lease_until, expires_at)
     VALUES ($1, $2, 'csv', 'project', false, now() + interval '1 d', now() + interval '1 d') RETURNING id`,
    [project.projectId, project.workspaceId],
  );
  const { id } = rows[0]!;
  const add = (line: number): Promise<unknown> =>
    db.query(
      `INSERT INTO reconciliation_rows (reconciliation_id, line, class) VALUES ($1, $2, 'missing_on_chain')`,
      [id, line],
    );
  await add(2);
  const seen = 'SELECT FROM reconciliation_rows WHERE line = 2';
  await waitFor(async () => (await standby.query(seen)).rowCount === 1 && (await isRead('')));
  await standby.query('SELECT pg_wal_replay_pause()');
  try {
    await add(3);
    await db.query(`UPDATE reconciliations SET status = 'completed' WHERE id = $1`, [id]);
    const [isUsable, ...rest] = await Promise.all([
      isRead(''),
      read(`/${id}/rows`),
      read(`/${id}/rows`, 'application/x-ndjson'),
    ]);
    const current = { count: 2, isOfStandby: false };
    expect([isUsable, ...rest]).toEqual([true, current, current]);
  } finally {
    await standby.query('SELECT pg_wal_replay_resume()');
  }
  await waitFor(() => isRead(`/${id}/rows`));
  expect(await read(`/${id}/rows`, 'application/x-ndjson')).toEqual({ count: 2, isOfStandby: true });
}, 60_000);
