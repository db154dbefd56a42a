// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { createDatabase } from '@chainwatch/data/db';
import type { Database } from '@chainwatch/data/db';
import { createSealer } from '@chainwatch/platform/secrets';
import { startPostgres } from '@chainwatch/data/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { bootstrap } from './bootstrap.ts';
import { rotateSecrets, SEALED_COLUMNS, SEALED_MAP } from './rotate-secrets.ts';

/** Follows the map (prisma/sql/share_evm_endpoint.sql). */
const FOLLOWING = { table: 'blockchains', column: 'evm_endpoint_sealed' };
const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
const before = createSealer({ keys: { first }, activeKeyId: 'first' });
const during = createSealer({ keys: { first, second }, activeKeyId: 'second' });
const after = createSealer({ keys: { second }, activeKeyId: 'second' });

describe('rotateSecrets', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres();
    db = createDatabase({ url: postgres.url, applicationName: 'rotate-secrets-spec' });
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  it('knows every sealed column of the schema', async () => {
    const { rows } = await db.query(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name LIKE '%sealed'`,
    );
    expect(rows.map(({ name }) => name).sort()).toEqual(
      [...SEALED_COLUMNS, SEALED_MAP, FOLLOWING].map(({ table, column }) => `${table}.${column}`).sort(),
    );
  });

  it('seals everything anew, whatever its number, so that the old key can go; what it cannot open it names', async () => {
    const { projectId } = await bootstrap(db, { label: 'svc' });
    const ids = Array.from(
      { length: 1_200 },
      (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
    await db.query(
      `INSERT INTO notification_channels (id, project_id, kind, name, config, credentials_sealed) SELECT u.id, $3, 'webhook', 'w', '{}', u.sealed FROM unnest($1::uuid[], $2::text[]) AS u (id, sealed)`,
      [ids, ids.map((id) => before.seal(`credentials of ${id}`, `channel:${id}`)), projectId],
    );
    await db.query(
      `INSERT INTO webhook_secrets (id, channel_id, secret_sealed, mask, state) VALUES ($1, $1, $2, '', 'current')`,
      [ids[0], before.seal('secret', `webhook_secret:${ids[0]}`)],
    );
    const gid = 'eip155:1';
    await db.query(
      `INSERT INTO blockchains (gid, family, name, short_name, image_url, endpoint_sealed, other_endpoints_sealed) VALUES ($1, 'evm', 'n', 's', 'i', $2, jsonb_build_object('evm', $3::text, 'other', $4::text))`,
      [
        gid,
        before.seal('node', `endpoint:${gid}`),
        before.seal('evm node', `evm_endpoint:${gid}`),
        before.seal('other node', `other_endpoint:${gid}`),
      ],
    );
    const lost = ids.at(-1)!;
    await db.query('UPDATE notification_channels SET credentials_sealed = $2 WHERE id = $1', [
      lost,
      before.seal('x', 'channel:another'),
    ]);

    expect(await rotateSecrets(db, during)).toEqual({
      resealed: 1_203,
      unreadable: [`notification_channels.credentials_sealed ${lost}`],
    });
    expect(await rotateSecrets(db, during)).toMatchObject({ resealed: 0 });
    const { rows } = await db.query(
      'SELECT id, credentials_sealed FROM notification_channels WHERE id <> $1',
      [lost],
    );
    for (const { id, credentials_sealed } of rows)
      expect(after.open(credentials_sealed, `channel:${id}`)).toBe(`credentials of ${id}`);
    const {
      rows: [chain],
    } = await db.query('SELECT * FROM blockchains');
    expect([
      after.open(chain.endpoint_sealed, `endpoint:${gid}`),
      after.open(chain.other_endpoints_sealed.evm, `evm_endpoint:${gid}`),
      after.open(chain.evm_endpoint_sealed, `evm_endpoint:${gid}`),
      after.open(chain.other_endpoints_sealed.other, `other_endpoint:${gid}`),
    ]).toEqual(['node', 'evm node', 'evm node', 'other node']);
  });
});
