// SPDX-License-Identifier: Apache-2.0
import { randomInt, randomUUID } from 'node:crypto';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database, Sql } from './database.ts';
import { applyMigrations } from './migrate.ts';

const OPERATIONS = Number(process.env.LIST_OPERATIONS ?? 600);
const chains = ['eip155:1', 'eip155:56'];
const idOf = (kind: number, n: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const pick = <T>(values: readonly T[]): T => values[randomInt(values.length)]!;
const chance = (percent: number): boolean => randomInt(100) < percent;

describe('list_counts', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
    db = createDatabase({ url: postgres.url, applicationName: 'list-counts-spec' });
    await db.query(`INSERT INTO workspaces (id, name) VALUES ('${idOf(1, 0)}', 'w')`);
    for (const n of [0, 1])
      await db.query(`INSERT INTO projects (id, workspace_id, name) VALUES ($1, $2, 'p')`, [
        idOf(2, n),
        idOf(1, 0),
      ]);
    for (const gid of chains) {
      await db.query(
        `INSERT INTO blockchains (gid, family, name, short_name, image_url) VALUES ($1, 'evm', $1, $1, '')`,
        [gid],
      );
      await db.query('INSERT INTO analyzer_states (chain_gid) VALUES ($1)', [gid]);
    }
    for (const n of [0, 1, 2]) {
      await db.query(
        `INSERT INTO public_keys (id, project_id, extended_public_key, fingerprint, derivation_path, purpose, account_index, chain_family, chain_gid, address_format)
         VALUES ($1, $2, $3, 'f', 'm', 84, $4, 'bitcoin', $5, 'p2wpkh')`,
        [idOf(6, n), idOf(2, n % 2), `xpub${n}`, n, chains[0]],
      );
    }
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  it('are what counting gives, at every moment, whatever writers do at once', async () => {
    let left = OPERATIONS;
    const differences: unknown[] = [];
    const seen = new Set<string>();
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        // PostgreSQL breaks a deadlock, and an address may be deleted while rows about it are written:
        // services retry both.
        await pick(operations)().catch((error: { code?: string }) => {
          if (error.code !== '40P01' && error.code !== '23503') throw error;
        });
        if (!chance(10)) continue;
        differences.push(...(await compare(db)));
        for (const { list } of (
          await db.query<{ list: string }>('SELECT list FROM list_counts UNION SELECT list FROM list_changes')
        ).rows)
          seen.add(list);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect([...differences, ...(await compare(db))]).toEqual([]);
    while ((await db.query('SELECT fold_totals(100) AS folded')).rows[0].folded > 0);
    expect(await compare(db)).toEqual([]);
    const { rows } = await db.query(
      'SELECT (SELECT count(*) FROM list_changes) + (SELECT count(*) FROM list_counts WHERE count = 0) AS total',
    );
    expect(rows[0].total).toBe(0);
    expect([...seen].sort()).toEqual([
      'address',
      'addresses',
      'asset',
      'blocks',
      'deliveries',
      'transactions',
      'usage',
    ]);
    await db.query('SELECT rebuild_list_counts()');
    expect(await compare(db)).toEqual([]);
  }, 120_000);

  it('leave the order of transactions with their addresses and assets, and what they moved', async () => {
    const amounts = () =>
      db.query('SELECT id, amount_max FROM transactions ORDER BY id').then((result) => result.rows);
    // By chance the writers may have left no amount with known decimals.
    while ((await amounts()).every(({ amount_max }) => amount_max === null))
      for (const operation of operations) await operation();
    const { rows } = await db.query(
      `SELECT t.id FROM transactions t LEFT JOIN transaction_addresses ta ON ta.transaction_id = t.id LEFT JOIN transfers r ON r.transaction_id = t.id
       WHERE ta.transaction_id IS NOT NULL AND (ta.detected_at, ta.block_position) IS DISTINCT FROM (t.detected_at, t.block_position)
         OR ta.public_key_id IS DISTINCT FROM (SELECT a.public_key_id FROM addresses a WHERE a.id = ta.address_id)
         OR r.transaction_id IS NOT NULL AND r.detected_at IS DISTINCT FROM t.detected_at`,
    );
    expect(rows).toEqual([]);
    const before = await amounts();
    await db.query('SELECT set_amount_max(ARRAY(SELECT id FROM transactions))');
    expect(await amounts()).toEqual(before);
  });

  // Every transaction is of one chain, whose lock its writer holds, as the analyzer does.
  const inChain = (n: number, write: (sql: Sql) => Promise<unknown>): Promise<unknown> =>
    db.transaction(async (sql) => {
      await sql.query('SELECT FROM analyzer_states WHERE chain_gid = $1 FOR UPDATE', [chains[n % 2]]);
      await write(sql);
      if (chance(10)) await sql.query('SELECT fold_totals(50)');
    });
  const assetOf = (n: number): string => `${chains[n % 2]}/erc20:${n}`;

  const operations: readonly (() => Promise<unknown>)[] = [
    () => {
      const n = randomInt(40);
      const status = pick(['pending', 'detected', 'confirmed', 'failed']);
      return inChain(n, async (sql) => {
        const values = [
          idOf(3, n),
          idOf(2, n % 2),
          chains[n % 2],
          `0x${n}`,
          status,
          pick(['in', 'out', 'self']),
          status === 'pending' ? null : randomInt(5_000),
          randomInt(400_000),
        ];
        await sql.query(
          `INSERT INTO transactions AS t (id, project_id, chain_gid, hash, status, direction, block_number, required_confirmations, detected_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, 1, timestamptz '2026-01-01' + $8 * interval '1 second')
           ON CONFLICT (id) DO UPDATE SET status = EXCLUDED.status, direction = EXCLUDED.direction, block_number = EXCLUDED.block_number, detected_at = EXCLUDED.detected_at, amount_max = NULL`,
          values,
        );
        await sql.query('DELETE FROM transfers WHERE transaction_id = $1', [values[0]]);
        const legs: (readonly [number, string, number, string])[] = Array.from(
          { length: randomInt(4) },
          (_, index) =>
            [index, assetOf(n + 2 * randomInt(3)), randomInt(100_000), chance(20) ? '{}' : '{a}'] as const,
        );
        for (const [index, asset, raw, monitored] of legs) {
          await sql.query(
            `INSERT INTO transfers AS r (transaction_id, index, project_id, chain_gid, type, asset_gid, amount_raw, monitored_addresses) VALUES ($1, $2, $3, $4, 'token', $5, $6, $7)
             ON CONFLICT (transaction_id, index) DO UPDATE SET monitored_addresses = EXCLUDED.monitored_addresses`,
            [values[0], chance(10) ? 0 : index, values[1], values[2], asset, raw, monitored],
          );
        }
      });
    },
    () => {
      const n = randomInt(40);
      return inChain(n, (sql) =>
        chance(5)
          ? sql.query('DELETE FROM transactions WHERE id = $1', [idOf(3, n)])
          : sql.query(
              `UPDATE transactions SET status = $2, block_number = CASE WHEN $2 = 'failed' THEN NULL ELSE block_number END WHERE chain_gid = $3 AND id >= $1`,
              [idOf(3, n), pick(['confirmed', 'reorged', 'failed']), chains[n % 2]],
            ),
      );
    },
    () => {
      const n = randomInt(40);
      return inChain(n, (sql) =>
        sql.query(
          `INSERT INTO transaction_addresses (address_id, transaction_id, public_key_id)
           SELECT a.id, t.id, CASE WHEN $2 THEN a.public_key_id END FROM transactions t JOIN addresses a USING (project_id) WHERE t.id = $1 ORDER BY random() LIMIT 3 ON CONFLICT DO NOTHING`,
          [idOf(3, n), chance(50)],
        ),
      );
    },
    () => {
      const n = randomInt(20);
      return db.query(
        `INSERT INTO addresses (id, project_id, chain_family, address, display, kind, format, is_monitored) VALUES ($1, $2, $5, $3, $3, 'external', 'evm', $4)
         ON CONFLICT (id) DO UPDATE SET is_monitored = EXCLUDED.is_monitored, is_used = NOT addresses.is_used`,
        [idOf(4, n), idOf(2, n % 2), `0x${n}`, chance(50), n % 3 === 0 ? 'evm' : 'bitcoin'],
      );
    },
    // An imported address becomes one of a key.
    () => {
      const n = randomInt(20);
      return db.query(
        `UPDATE addresses SET public_key_id = $2 WHERE id = $1 AND chain_family = 'bitcoin' AND public_key_id IS NULL`,
        [idOf(4, n), idOf(6, n % 2 === 0 ? pick([0, 2]) : 1)],
      );
    },
    () =>
      db.query(
        `INSERT INTO rpc_usage SELECT $1, $2, c, m, timestamptz '2026-01-01' + $3 * interval '1 hour', 1, 0, 0, 1, 1 FROM unnest($4::text[]) AS c, unnest(ARRAY['eth_call', 'eth_chainId']) AS m
       ON CONFLICT (key_id, hour, chain_gid, method) DO UPDATE SET requests = rpc_usage.requests + 1`,
        [idOf(9, randomInt(2)), idOf(1, 0), randomInt(200), chains],
      ),
    () => db.query('DELETE FROM addresses WHERE id = $1', [idOf(4, randomInt(20))]),
    () => {
      const n = randomInt(8);
      return inChain(n, (sql) =>
        sql.query(
          `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, decimals) VALUES ($1, $2, 'erc20', $3, 'fungible', 'unknown', NULL)
           ON CONFLICT (gid) DO UPDATE SET status = 'active', decimals = $4, name = $5`,
          [assetOf(n), chains[n % 2], String(n), randomInt(6), pick(['one', 'two'])],
        ),
      );
    },
    () =>
      db.query(
        `INSERT INTO blocks (chain_gid, number, hash, status) SELECT $1, n, gen_random_uuid()::text, 'new' FROM generate_series($2::bigint, $2 + 2) AS n ON CONFLICT DO NOTHING`,
        [pick(chains), randomInt(5_000)],
      ),
    () =>
      db
        .query(
          `UPDATE blocks SET status = $1 WHERE id IN (SELECT id FROM blocks ORDER BY id DESC LIMIT 4 FOR UPDATE SKIP LOCKED)`,
          [pick(['processed', 'confirmed', 'reorged'])],
        )
        .catch(ignoreTakenHeight),
    () =>
      db.query(
        'DELETE FROM blocks WHERE id IN (SELECT id FROM blocks ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED)',
      ),
    async () => {
      const channel = idOf(5, randomInt(4));
      await db.query(
        `INSERT INTO notification_channels (id, project_id, kind, name, config) VALUES ($1, $2, 'webhook', 'c', '{}') ON CONFLICT DO NOTHING`,
        [channel, idOf(2, 0)],
      );
      await db.query(
        `INSERT INTO deliveries (project_id, channel_id, event_id, event_type, status) SELECT $2, id, $3, $4, 'pending' FROM notification_channels WHERE id = $1`,
        [channel, idOf(2, 0), randomUUID(), pick(['t', 'u'])],
      );
      await db.query('UPDATE deliveries SET status = $2 WHERE channel_id = $1', [
        channel,
        pick(['delivered', 'held', 'failed']),
      ]);
      if (chance(10)) await db.query('DELETE FROM notification_channels WHERE id = $1', [channel]);
    },
    () => db.query('SELECT fold_totals($1)', [1 + randomInt(200)]),
  ];
});

/** Two blocks of a height cannot both be canonical. */
function ignoreTakenHeight(error: Error & { code?: string }): void {
  if (error.code !== '23505') throw error;
}

/** Totals that differ from what counting gives, as of one moment. */
async function compare(db: Database): Promise<unknown[]> {
  const { rows } = await db.query(
    `SELECT list, key, k.count AS kept, a.count AS actual
     FROM (
       SELECT scope, list, key, sum(count)::bigint AS count
       FROM (TABLE list_counts UNION ALL TABLE list_changes) l GROUP BY 1, 2, 3 HAVING sum(count) <> 0
     ) k
     FULL JOIN actual_list_counts() a USING (scope, list, key) WHERE k.count IS DISTINCT FROM a.count`,
  );
  return rows;
}
