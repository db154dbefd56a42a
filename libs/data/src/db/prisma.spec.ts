// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { startPostgres } from '@chainwatch/testing';
import type { PostgresHandle } from '@chainwatch/testing';
import { createDatabase } from './database.ts';
import type { Database } from './database.ts';
import { applyMigrations } from './migrate.ts';
import { createPrisma } from './prisma.ts';

const schema = readFileSync(new URL('../../../../prisma/schema.prisma', import.meta.url), 'utf8');
const scalars: Readonly<Record<string, string>> = {
  BigInt: 'bigint',
  'BigInt[]': 'ARRAY',
  Boolean: 'boolean',
  Bytes: 'bytea',
  DateTime: 'timestamp with time zone',
  Float: 'double precision',
  Decimal: 'numeric',
  Int: 'integer',
  Json: 'jsonb',
  String: 'text',
  'String @db.Uuid': 'uuid',
  'String[]': 'ARRAY',
  'Unsupported("xid8")': 'xid8',
};

describe('prisma/schema.prisma', () => {
  let postgres: PostgresHandle;
  let db: Database;
  beforeAll(async () => {
    postgres = await startPostgres({ migrate: applyMigrations });
    db = createDatabase({ url: postgres.url, applicationName: 'prisma-spec' });
  });
  afterAll(async () => {
    await db.close();
    await postgres.stop();
  });

  it('has the tables, columns, types and nullability of the migrations, all of them and no other', async () => {
    const { rows } = await db.query<{ line: string }>(
      `SELECT table_name || '.' || column_name || ' ' || data_type || CASE is_nullable WHEN 'YES' THEN '?' ELSE '' END AS line
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE '\\_%'
         AND NOT (SELECT relispartition OR relkind = 'v' FROM pg_class WHERE oid = format('%I', table_name)::regclass)`,
    );
    expect(listColumns(schema).sort()).toEqual(rows.map(({ line }) => line).sort());
  });

  it('is what the client works with: exact amounts, heights, arrays, JSON', async () => {
    const prisma = createPrisma(postgres.url);
    try {
      const workspace = await prisma.workspace.create({
        data: { name: 'w', projects: { create: { name: 'p' } } },
        include: { projects: true },
      });
      const projectId = workspace.projects[0]!.id;
      await prisma.blockchain.create({
        data: { gid: 'eip155:1', family: 'evm', name: 'n', shortName: 's', imageUrl: 'i' },
      });
      const address = await prisma.address.create({
        data: {
          projectId,
          chainFamily: 'evm',
          address: '0x1',
          display: '0x1',
          kind: 'external',
          format: 'evm',
          metadata: { a: [1] },
        },
      });
      const raw = '9'.repeat(78);
      const transaction = {
        id: address.id,
        projectId,
        chainGid: 'eip155:1',
        hash: '0x1',
        status: 'detected',
        direction: 'in',
        requiredConfirmations: 1,
        feeAmountRaw: raw,
        blockNumber: 2n ** 53n - 1n,
      };
      await prisma.transaction.create({ data: transaction });
      const found = await prisma.transaction.findUniqueOrThrow({ where: { id: address.id } });
      expect(found.feeAmountRaw?.toFixed()).toBe(raw);
      expect(found.blockNumber).toBe(2n ** 53n - 1n);
      expect(address.metadata).toEqual({ a: [1] });
    } finally {
      await prisma.$disconnect();
    }
  });
});

function listColumns(text: string): string[] {
  return [...text.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].flatMap(([, model, body]) => {
    const table = /@@map\("(\w+)"\)/.exec(body!)?.[1] ?? model!;
    return [...body!.matchAll(/^ {2}(\w+) +(Unsupported\("\w+"\)|\w+)(\[\]|\?)?(.*)$/gm)].flatMap(
      ([, field, type, modifier = '', attributes = '']) => {
        const key =
          modifier === '[]' ? `${type}[]` : attributes.includes('@db.Uuid') ? `${type} @db.Uuid` : type!;
        const sqlType = scalars[key];
        // What is no scalar is a relation, which has no column of its own.
        if (sqlType === undefined) return [];
        return [
          `${table}.${/@map\("(\w+)"\)/.exec(attributes)?.[1] ?? field} ${sqlType}${modifier === '?' ? '?' : ''}`,
        ];
      },
    );
  });
}
