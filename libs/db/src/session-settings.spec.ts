import { startPostgres, type PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import { applyMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';

describe('sessions', () => {
  let postgres: PostgresHandle;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
  });
  afterAll(() => postgres.stop());

  const NAMES = [
    'idle_in_transaction_session_timeout',
    'tcp_keepalives_idle',
    'tcp_keepalives_interval',
    'tcp_keepalives_count',
    'tcp_user_timeout',
    'statement_timeout',
  ];
  const EXPECTED = ['5s', '4', '2', '2', '8000', '30s'];
  const SHOWN = `SELECT array(SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS t (name, position) ORDER BY position) AS settings`;

  it.each([false, true])(
    'of a pool are given up by the server within 10 s when nobody answers (keepsPlans %s)',
    async (keepsPlans) => {
      const db = createDatabase({ url: postgres.url, applicationName: 'spec', keepsPlans });
      const { rows } = await db.query<{ settings: string[] }>(SHOWN, [NAMES]);
      expect(rows[0]!.settings).toEqual(EXPECTED);
      await db.close();
    },
  );

  it("of Prisma's pool as well", async () => {
    const prisma = createPrisma(postgres.url);
    const rows = await prisma.$queryRawUnsafe<{ settings: string[] }[]>(SHOWN, NAMES);
    expect(rows[0]!.settings).toEqual(EXPECTED);
    await prisma.$disconnect();
  });
});
