// SPDX-License-Identifier: Apache-2.0
import { createDatabase, type Database } from '@chainwatch/data/db';
import type { PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { countNodeHealth } from './start-beating.ts';

const GID = 'eip155:8453';
const OLD = '2026-01-01T00:00:00.000Z';
const NEW = '2026-01-01T00:00:10.000Z';
const node = (
  url: string,
  latency_ms: number | null,
  times: [success: string | null, error: string | null],
) => ({
  ...{ url, latency_ms },
  ...{ last_success_at: times[0], last_error_at: times[1] },
});

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', $1, $1, '')`,
    [GID],
  );
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

it('counts each node into its quarter, those of one host together, and forgets after 24 hours', async () => {
  await db.query(
    `INSERT INTO chain_node_health VALUES ($1, 'http://gone:80', now() - interval '25 hours', 1, 1, 0, 0)`,
    [GID],
  );
  const nodes = [
    node('http://one:80', 40, [NEW, OLD]),
    node('http://two:80', 900, [OLD, NEW]),
    node('http://two:80', 60, [NEW, null]),
    node('http://new:80', null, [null, null]),
  ];
  // In one transaction, so that the quarter of an hour does not end meanwhile.
  await db.transaction(async (sql) => {
    await countNodeHealth(sql, GID, nodes);
    await countNodeHealth(sql, GID, nodes);
    await countNodeHealth(sql, GID, []);
  });
  const { rows } = await db.query(
    `SELECT url, samples, failures, latencies, latency_ms_sum, date_bin('15 minutes', at, 'epoch') = at AS is_quarter
     FROM chain_node_health WHERE chain_gid = $1 ORDER BY url`,
    [GID],
  );
  const row = { is_quarter: true };
  expect(rows).toEqual([
    { ...row, url: 'http://one:80', samples: 2, failures: 0, latencies: 2, latency_ms_sum: 80 },
    { ...row, url: 'http://two:80', samples: 4, failures: 2, latencies: 2, latency_ms_sum: 120 },
  ]);
});
