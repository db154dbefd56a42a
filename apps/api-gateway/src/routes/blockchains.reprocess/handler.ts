// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { conflict, invalidRequest, unprocessableEntity } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { reprocessSchema, toReprocessRecord } from '../../records/reprocess.ts';

const bodySchema = z.strictObject({
  from_block: z
    .int()
    .min(0)
    .meta({ description: 'The first block, one that was processed.', examples: [21_000_000] }),
  to_block: z
    .int()
    .min(0)
    .meta({ description: 'The last block, one that was processed.', examples: [21_000_100] }),
});
type Range = z.infer<typeof bodySchema>;

export const reprocessBlocks = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/actions/reprocess',
  permission: 'api:blockchain:write',
  summary:
    'Decode blocks again with the release of today, tell what it finds in addition, and try again what is set aside',
  params: chainParams,
  body: bodySchema,
  example: { from_block: 21_000_000, to_block: 21_000_100 },
  responses: { 202: reprocessSchema },
  problems: [409, 422],
  handle: async ({ params, body, principal, requestId }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    if (!chain.isActive)
      throw unprocessableEntity(`The blockchain ${chain.gid} is not active. Activate it first.`);
    const faults = listFaults(body, {
      first: Number(chain.ingestorState?.startNumber ?? 0),
      last: Number(chain.analyzerState?.cursorNumber ?? -1),
    });
    if (faults.length > 0) throw invalidRequest(faults);
    const id = await deps.db.transaction(async (sql) => {
      const added = await insertReprocess(sql, chain.gid, body);
      await sql.query(
        `UPDATE incidents SET retry_at = clock_timestamp() WHERE chain_gid = $1 AND status = 'quarantined'`,
        [chain.gid],
      );
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'reprocess.requested', targetId: added, to: { chain_gid: chain.gid, ...body } },
      );
      return added;
    });
    announceChain(deps, chain.gid);
    return {
      status: 202,
      body: toReprocessRecord(await deps.prisma.reprocess.findUniqueOrThrow({ where: { id } })),
    };
  },
});

/** Only what was processed can be processed again. */
function listFaults(
  { from_block: from, to_block: to }: Range,
  { first, last }: { readonly first: number; readonly last: number },
): { name: string; reason: string }[] {
  const faults: { name: string; reason: string }[] = [];
  if (from < first)
    faults.push({
      name: 'from_block',
      reason: `expected ${first} or above, the first block that was followed`,
    });
  if (from > to) faults.push({ name: 'from_block', reason: 'expected to_block or below' });
  if (to > last)
    faults.push({
      name: 'to_block',
      reason:
        last < 0
          ? 'expected a processed block, and none is'
          : `expected ${last} or below, the last block that was processed`,
    });
  return faults;
}

async function insertReprocess(
  sql: Sql,
  chainGid: string,
  { from_block: from, to_block: to }: Range,
): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO reprocesses (chain_gid, from_block, to_block, next_block) VALUES ($1, $2, $3, $2) ON CONFLICT (chain_gid) WHERE status = 'running' DO NOTHING RETURNING id`,
    [chainGid, from, to],
  );
  if (rows[0] === undefined)
    throw conflict(`Blocks of ${chainGid} are being processed again already: ask again when that is done.`);
  return rows[0].id;
}
