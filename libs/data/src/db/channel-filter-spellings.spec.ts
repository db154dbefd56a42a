// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import { findPrismaDir } from './wait-for-schema.ts';
import { applyMigrations } from './migrate.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const SQL = readFileSync(
  join(findPrismaDir(), 'migrations/20261123120300_channel_filter_spellings/migration.sql'),
  'utf8',
);

let postgres: PostgresHandle;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

it('writes the filters that earlier releases kept as events have them, and nothing else', async () => {
  const url = await postgres.createDatabase();
  await applyMigrations(url, findPrismaDir());
  const db = createDatabase({ url, applicationName: 'spellings-spec' });
  const add = async (filters: unknown): Promise<string> => {
    const { rows } = await db.query<{ id: string }>(
      `WITH w AS (INSERT INTO workspaces (name) VALUES ('w') RETURNING id),
         p AS (INSERT INTO projects (workspace_id, name) SELECT id, 'p' FROM w RETURNING id)
       INSERT INTO notification_channels (project_id, kind, name, config) SELECT id, 'webhook', 'c', $1 FROM p RETURNING id`,
      [JSON.stringify({ url: 'https://1.1.1.1/', ...(filters !== undefined && { filters }) })],
    );
    return rows[0]!.id;
  };
  const odd = await add({
    asset_gids: [
      `eip155:1/erc20:${USDC}`,
      `eip155:56/erc20:${USDC}`,
      'eip155:56/slip44:714',
      `tron:mainnet/trc20:${USDT}`,
    ],
    chain_gids: ['eip155:01', 'tron:728126428', 'bip122:000000000019D6689C085AE165831E93'],
    address_ids: ['6F1D1F4E-0000-4000-8000-000000000001'],
    groups: [' shop-7 '],
    direction: 'in',
    metadata: { A: 'B ' },
  });
  const plain = [
    undefined,
    {},
    { asset_gids: [`eip155:1/erc20:${USDC.toLowerCase()}`], groups: ['A'] },
    { chain_gids: ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'], asset_gids: null, groups: [] },
  ];
  const others: string[] = [];
  for (const filters of plain) others.push(await add(filters));
  const read = async (id: string): Promise<{ filters: object; row: string }> => {
    const { rows } = await db.query<{ filters: object; row: string }>(
      `SELECT config -> 'filters' AS filters, c::text || c.xmin AS row FROM notification_channels c WHERE id = $1`,
      [id],
    );
    return rows[0]!;
  };
  const before = await Promise.all(others.map(read));
  for (const _again of [1, 2]) {
    await db.query(SQL);
    const { filters } = (await read(odd)) as { filters: Record<string, string[]> };
    expect(Object.fromEntries(Object.entries(filters).map(([name, value]) => [name, sorted(value)]))).toEqual(
      {
        asset_gids: [
          `eip155:1/erc20:${USDC.toLowerCase()}`,
          `eip155:56/bep20:${USDC.toLowerCase()}`,
          'eip155:56/slip44:9006',
          `tron:0x2b6653dc/trc20:${USDT}`,
        ],
        chain_gids: ['bip122:000000000019d6689c085ae165831e93', 'eip155:1', 'tron:0x2b6653dc'],
        address_ids: ['6f1d1f4e-0000-4000-8000-000000000001'],
        groups: ['shop-7'],
        direction: 'in',
        metadata: { A: 'B ' },
      },
    );
    expect(await Promise.all(others.map(read))).toEqual(before);
  }
  await db.close();
});

const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);
