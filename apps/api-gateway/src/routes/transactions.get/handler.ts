// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { notFound } from '@chainwatch/common/problem';
import { transactionSchema } from '../../records/transaction.ts';
import { defineRoute } from '../../define-route.ts';
import { readRecords } from '../transactions.list/query-transactions.ts';

export const getTransaction = defineRoute({
  method: 'GET',
  path: '/transactions/:transaction_id',
  permission: 'api:transaction:read',
  summary: 'One transaction of the project, by its `id`',
  params: z.object({
    transaction_id: z.uuid().meta({
      description: 'The transaction, by its `id`.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
  }),
  responses: { 200: transactionSchema },
  handle: async ({ params, principal }, { db }) => {
    const { rows } = await db.query<{ id: string }>(
      'SELECT id FROM transactions WHERE id = $1 AND project_id = $2',
      [params.transaction_id, principal.projectId],
    );
    const [record] = await readRecords(
      db,
      rows.map(({ id }) => id),
    );
    if (!record) throw notFound(`There is no transaction ${params.transaction_id} in this project.`);
    return { status: 200, body: record };
  },
});
