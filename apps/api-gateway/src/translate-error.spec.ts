import { createDatabase } from '@chainwatch/db';
import { createPrisma } from '@chainwatch/db/prisma';
import { findFreePort } from '@chainwatch/testing';
import { translateError } from './translate-error.ts';

const failureOf = (work: Promise<unknown>) => work.then(() => undefined, (error: unknown) => error);

it('says 503 for a database that is away, asked with SQL or through Prisma', async () => {
  const url = `postgres://u:p@127.0.0.1:${await findFreePort()}/x`;
  const db = createDatabase({ url, applicationName: 'spec' });
  const prisma = createPrisma(url);
  try {
    expect(translateError(await failureOf(db.query('SELECT 1')))).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
    expect(translateError(await failureOf(prisma.workspace.findFirst()))).toMatchObject({ status: 503 });
  } finally {
    await db.close();
    await prisma.$disconnect();
  }
});

it.each([new Error('anything'), new TypeError('x is not a function'), Object.assign(new Error('syntax error'), { code: '42601' }), 'text', undefined])(
  'leaves %p to be a 500',
  (error) => {
    expect(translateError(error)).toBeUndefined();
  },
);
