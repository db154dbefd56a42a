// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificate, startPostgresServer, type PostgresServerHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import { createPrisma } from './prisma.ts';

const folder = mkdtempSync(join(tmpdir(), 'postgres-tls-'));
const own = createCertificate(folder, 'server');
const other = createCertificate(folder, 'other');
let postgres: PostgresServerHandle;

/** The server's files belong to its user: it writes them itself. */
async function serveTls(): Promise<void> {
  const db = createDatabase({ url: postgres.url, applicationName: 'spec' });
  for (const [name, path] of Object.entries({ 'server.crt': own.path, 'server.key': own.keyPath }))
    await db.query(
      `COPY (SELECT unnest(string_to_array('${readFileSync(path, 'utf8').trim()}', E'\n'))) TO PROGRAM 'umask 077; cat > ${name}'`,
    );
  await db.query('ALTER SYSTEM SET ssl = on');
  await db.close();
  await postgres.restart();
}

beforeAll(async () => {
  postgres = await startPostgresServer();
});
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

async function isEncrypted(parameters: Record<string, string>): Promise<boolean> {
  const url = new URL(postgres.url);
  url.hostname = 'localhost';
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const question = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  const db = createDatabase({ url: url.href, applicationName: 'spec' });
  const prisma = createPrisma(url.href);
  try {
    const { rows } = await db.query<{ ssl: boolean }>(question);
    expect(await prisma.$queryRawUnsafe(question)).toEqual(rows);
    return rows[0]!.ssl;
  } finally {
    await prisma.$disconnect();
    await db.close();
  }
}

it('verifies the server, and sends nothing to one without TLS, by what DATABASE_URL says', async () => {
  const verified = { sslmode: 'verify-full', sslrootcert: own.path };
  expect(await isEncrypted({})).toBe(false);
  await expect(isEncrypted(verified)).rejects.toThrow('does not support SSL');
  await serveTls();
  for (const sslmode of ['verify-full', 'require', 'prefer', 'verify-ca'])
    expect(await isEncrypted({ ...verified, sslmode })).toBe(true);
  for (const sslmode of ['verify-full', 'require', 'prefer', 'verify-ca'])
    await expect(isEncrypted({ sslmode, sslrootcert: other.path })).rejects.toThrow(/self-signed|verify/i);
});
