// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Prisma } from '@chainwatch/data/prisma';
import { createdAtSchema } from './recorded-times.ts';

export const CLASSES = [
  'matched',
  'missing_in_books',
  'missing_on_chain',
  'amount_differs',
  'duplicate',
  'unconfirmed',
  'invalid',
] as const;
export const classSchema = z.enum(CLASSES);

const TEXTS: Readonly<Record<(typeof CLASSES)[number], string>> = {
  matched: 'Rows that equal a confirmed movement.',
  missing_in_books: 'Movements of the window that no row names.',
  missing_on_chain: 'Rows whose transaction or movement the project does not have.',
  amount_differs: 'Rows with another amount than the movement.',
  duplicate: 'Rows that name a movement which an earlier row names.',
  unconfirmed: 'Rows whose transaction is not confirmed; `reason` says why.',
  invalid: 'Invalid rows; `reason` names the column.',
};

const count = (description: string, usual: number) =>
  z
    .int()
    .min(0)
    .meta({ description, examples: [usual] });

export const reconciliationSchema = z
  .object({
    id: z.uuid().meta({
      description: 'Of the reconciliation.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'As the upload called it.', examples: ['October 2026'] }),
    status: z.enum(['receiving', 'matching', 'completed', 'failed']).meta({
      description:
        '`receiving` while the ledger arrives, `matching` until all rows have a class, then `completed`, or `failed` with `error`.',
    }),
    format: z.enum(['csv', 'ndjson']).meta({ description: 'Of the ledger.' }),
    from: z.iso
      .datetime()
      .nullable()
      .meta({
        description:
          'Movements from this time on count as missing in the books. Null until the ledger has arrived.',
        examples: ['2026-10-01T00:00:00.000Z'],
      }),
    to: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'Movements before this time count. Null until the ledger has arrived.',
        examples: ['2026-11-01T00:00:00.000Z'],
      }),
    scope: z.enum(['project', 'ledger']).meta({
      description:
        'Movements that count as missing in the books: of all addresses of the project, or of those that the ledger names.',
    }),
    include_fees: z.boolean().meta({ description: 'Whether fees count as missing in the books.' }),
    row_count: count('Rows of the ledger.', 1_042),
    counts: z
      .object(
        Object.fromEntries(
          CLASSES.map((name, place) => [name, count(TEXTS[name], place === 0 ? 1_040 : 1)]),
        ) as Record<(typeof CLASSES)[number], z.ZodInt>,
      )
      .meta({ description: 'Rows by class, so far.' }),
    progress: z
      .object({
        phase: z.enum(['events', 'rows', 'books']).meta({
          description:
            'What is under way: `events` looks up events that are no longer stored, `rows` matches the ledger, `books` looks for movements that no row names.',
        }),
        rows_done: count('Rows of the ledger that have a class.', 1_042),
      })
      .meta({ description: 'How far it is.' }),
    is_truncated: z.boolean().meta({
      description: 'More than 1,000,000 movements are missing in the books; the others are not listed.',
    }),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why it failed.', examples: [null] }),
    created_at: createdAtSchema,
    completed_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When it was completed, or failed.', examples: ['2026-01-01T00:01:00.000Z'] }),
    expires_at: z.iso.datetime().meta({
      description: 'When it is deleted: 90 days after the upload.',
      examples: ['2026-04-01T00:00:00.000Z'],
    }),
  })
  .meta({ id: 'Reconciliation' });

export const reconciliationParams = z.object({
  reconciliation_id: z.uuid().meta({
    description: 'The reconciliation, by its `id`.',
    examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
  }),
});

export function toReconciliationRecord(
  row: Prisma.ReconciliationGetPayload<object>,
): z.infer<typeof reconciliationSchema> {
  const counts = row.counts as Record<string, number>;
  return reconciliationSchema.parse({
    id: row.id,
    name: row.name,
    status: row.status,
    format: row.format,
    from: row.fromTime?.toISOString() ?? null,
    to: row.toTime?.toISOString() ?? null,
    scope: row.scope,
    include_fees: row.includeFees,
    row_count: Number(row.rowCount),
    counts: Object.fromEntries(CLASSES.map((name) => [name, counts[name] ?? 0])),
    progress: { phase: row.phase, rows_done: doneOf(row, counts) },
    is_truncated: row.isTruncated,
    error: row.error,
    created_at: row.createdAt.toISOString(),
    completed_at: row.completedAt?.toISOString() ?? null,
    expires_at: row.expiresAt.toISOString(),
  });
}

/** Rows that could not be read, or name no transaction, have their class when they are stored. */
function doneOf(
  { rowCount }: Prisma.ReconciliationGetPayload<object>,
  counts: Record<string, number>,
): number {
  const done = CLASSES.filter((name) => name !== 'missing_in_books').reduce(
    (sum, name) => sum + (counts[name] ?? 0),
    0,
  );
  return Math.min(done, Number(rowCount));
}
