// SPDX-License-Identifier: Apache-2.0
import { BlockTime } from '@chainwatch/chain-core';
import { createDatabase, type Database } from '@chainwatch/data/db';
import type { OwnedShare } from '@chainwatch/data/ownership';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { startBeating } from './start-beating.ts';

let postgres: PostgresHandle;
let db: Database;
beforeAll(async () => {
  postgres = await startPostgres();
  db = createDatabase({ url: postgres.url, applicationName: 'spec' });
});
afterAll(async () => {
  await db.close();
  await postgres.stop();
});

it('writes the measured block time, and keeps the last one while a new owner has not measured', async () => {
  const chainGid = 'eip155:8453';
  await db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', $1, $1, '')`,
    [chainGid],
  );
  await db.query('INSERT INTO ingestor_states (chain_gid) VALUES ($1)', [chainGid]);
  // Renewed by its supervisor in the service, so that it outlives the beats.
  const share = { transaction: db.transaction } as unknown as OwnedShare;
  const read = async () =>
    (
      await db.query<{ ms: number | null; node: number | null }>(
        'SELECT block_time_ms AS ms, node_head_number AS node FROM ingestor_states',
      )
    ).rows[0]!;
  let blockTime = new BlockTime({ blockTimeMs: 2_000 });
  let head = 0;
  const stop = startBeating({
    ...{ share, chainGid, listNodes: () => [] },
    nodeHeadNumber: () => head,
    blockTime: () => blockTime,
  });
  try {
    for (let number = 0; number <= 100; number += 1) blockTime.note({ number, timeMs: 1 + number * 400.4 });
    head = 100;
    await waitFor(async () => (await read()).node === 100, { message: 'a beat', timeoutMs: 15_000 });
    expect(await read()).toMatchObject({ ms: 400 });
    blockTime = new BlockTime({ blockTimeMs: 2_000 });
    head = 101;
    await waitFor(async () => (await read()).node === 101, { message: 'a beat', timeoutMs: 15_000 });
    expect(await read()).toMatchObject({ ms: 400 });
  } finally {
    stop();
  }
}, 40_000);
