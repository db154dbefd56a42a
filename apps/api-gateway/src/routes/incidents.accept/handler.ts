// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { chainGidSchema } from '@chainwatch/common/caip';
import { conflict, notFound } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { incidentSchema, toIncidentRecord } from '../../records/incident.ts';

export const acceptIncident = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/incidents/:incident_id/actions/accept',
  permission: 'api:blockchain:write',
  summary:
    'Accept the reported transactions of the blocks of an incident; later blocks with the same kind open another one',
  params: z.object({
    chain_gid: chainGidSchema,
    incident_id: z.uuid().meta({
      description: 'The incident, by its `id`.',
      examples: ['6f1d1f4e-0000-4000-8000-000000000001'],
    }),
  }),
  responses: { 200: incidentSchema },
  problems: [409],
  handle: async ({ params, principal, requestId }, deps) => {
    const { gid } = await findChain(deps, params.chain_gid);
    await deps.db.transaction(async (sql) => {
      const { rowCount } = await sql.query(
        `UPDATE incidents SET status = 'accepted', accepted_at = now() WHERE id = $1 AND chain_gid = $2 AND status = 'open'`,
        [params.incident_id, gid],
      );
      if (rowCount === 0) return;
      await recordChange(
        sql,
        { principal, requestId },
        {
          action: 'incident.accepted',
          targetId: params.incident_id,
          from: { status: 'open' },
          to: { status: 'accepted' },
        },
      );
    });
    const row = await deps.prisma.incident.findFirst({ where: { id: params.incident_id, chainGid: gid } });
    if (!row) throw notFound(`There is no incident ${params.incident_id} of ${gid}.`);
    if (row.subjectType !== null && row.status !== 'resolved')
      throw conflict('What is set aside cannot be accepted: it is tried again after actions/reprocess.');
    if (row.status !== 'accepted')
      throw conflict(`The incident is ${row.status}: there is nothing to accept any more.`);
    announceChain(deps, gid);
    return { status: 200, body: toIncidentRecord(row, deps.settings.upgrades) };
  },
});
