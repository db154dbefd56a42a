// SPDX-License-Identifier: Apache-2.0
import { giveWorlds, type World } from '../spec-world.ts';
import { createMessageNames } from './message-names.ts';

const CHAIN = 'eip155:31337';
const TOKEN = `${CHAIN}/erc20:0x1f9840a85d5af5bf1d1762f925bdaddc4201f984`;

let world: World;
giveWorlds((given) => ({ world } = given));

const warnings: unknown[] = [];
const logger = {
  info: () => undefined,
  warn: (fields: unknown) => void warnings.push(fields),
  error: () => undefined,
};
const payload = JSON.stringify({
  type: 'balance.changed',
  data: { asset_gid: TOKEN },
});
const namesOf = (timeoutMs?: number) => createMessageNames({ db: world.db, logger, timeoutMs });

async function insertToken(symbol: string | null, multiplier: object | null = null): Promise<void> {
  await world.db.query(
    `INSERT INTO blockchains (gid, family, name, short_name, image_url, is_active) VALUES ($1, 'evm', 'local', 'local', 'https://example.com/x.svg', true) ON CONFLICT DO NOTHING`,
    [CHAIN],
  );
  await world.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status, symbol, ui_multiplier) VALUES ($1, $2, 'erc20', '0x1f98', 'fungible', 'active', $3, $4)
     ON CONFLICT (gid) DO UPDATE SET symbol = excluded.symbol`,
    [TOKEN, CHAIN, symbol, multiplier === null ? null : JSON.stringify(multiplier)],
  );
}

beforeEach(() => warnings.splice(0));

test('symbols and multipliers are those of the database, asked once', async () => {
  await insertToken('UNI', { type: 'scaled', value: '1.5' });
  const names = namesOf();
  expect((await names.read([payload])).findToken(TOKEN)).toEqual({ symbol: 'UNI', multiplier: '1.5' });
  await insertToken('OTHER');
  expect((await names.read([payload, payload])).findToken(TOKEN)?.symbol).toBe('UNI');
});

test('a token without a row has no symbol', async () => {
  expect((await namesOf().read([payload])).findToken(TOKEN)).toEqual({ symbol: null, multiplier: undefined });
});

test('a database that fails or hangs delays a message for a moment, and stops none', async () => {
  await world.db.query('ALTER TABLE assets RENAME TO assets_away');
  expect((await namesOf().read([payload])).findToken(TOKEN)).toBeUndefined();
  await world.db.query('ALTER TABLE assets_away RENAME TO assets');
  await insertToken('UNI');
  const names = namesOf(200);
  await world.db.transaction(async (sql) => {
    await sql.query('LOCK TABLE assets IN ACCESS EXCLUSIVE MODE');
    const started = performance.now();
    expect((await names.read([payload])).findToken(TOKEN)).toBeUndefined();
    expect(performance.now() - started).toBeLessThan(2_000);
  });
  expect(warnings).toHaveLength(2);
  expect((await names.read([payload])).findToken(TOKEN)?.symbol).toBe('UNI');
});
