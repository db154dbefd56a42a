// SPDX-License-Identifier: Apache-2.0
import { statsSchema } from '../../records/stats.ts';
import { defineRoute } from '../../server/define-route.ts';
import { readStats } from './read-stats.ts';

export const getStats = defineRoute({
  method: 'GET',
  path: '/stats',
  permission: 'api:event:read',
  reads: 'standby',
  summary: 'Figures of the project for an overview',
  responses: { 200: statsSchema },
  handle: async ({ principal }, { db }) => ({ status: 200, body: await readStats(db, principal) }),
});
