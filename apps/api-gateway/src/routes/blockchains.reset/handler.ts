// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import type { Sql } from '@chainwatch/data/db';
import { conflict, invalidRequest } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../define-route.ts';
import { findChain } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { resetSchema, toResetRecord } from '../../records/reset.ts';

const bodySchema = z.strictObject({
  from_block: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'The first block that is given up; without it all are.', examples: [21_000_000] }),
  confirm: z.string().meta({
    description:
      'The chain as CAIP-2, repeated as a confirmation: every transaction from that block on is reported as reorged.',
    examples: ['eip155:31337'],
  }),
});

/** Inserts a row that the chain's ingestor carries out as soon as the chain is active. */
export const resetBlockchain = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/actions/reset',
  permission: 'api:blockchain:write',
  summary: 'Give up blocks of a blockchain as if they were orphaned, and follow what its node says now',
  params: chainParams,
  body: bodySchema,
  example: { confirm: 'eip155:31337' },
  responses: { 202: resetSchema },
  problems: [409],
  handle: async ({ params, body: { confirm, from_block: fromBlock }, principal, requestId }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    if (confirm !== chain.gid)
      throw invalidRequest([
        { name: 'confirm', reason: `expected ${chain.gid}, the blockchain that is to be reset` },
      ]);
    const id = await deps.db.transaction(async (sql) => {
      const added = await insertReset(sql, chain.gid, fromBlock);
      await recordChange(
        sql,
        { principal, requestId },
        { action: 'reset.requested', targetId: added, to: { chain_gid: chain.gid, from_block: fromBlock } },
      );
      return added;
    });
    announceChain(deps, chain.gid);
    return { status: 202, body: toResetRecord(await deps.prisma.reset.findUniqueOrThrow({ where: { id } })) };
  },
});

async function insertReset(sql: Sql, chainGid: string, fromBlock: number | undefined): Promise<string> {
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO resets (chain_gid, from_block) VALUES ($1, $2) ON CONFLICT (chain_gid) WHERE status = 'running' DO NOTHING RETURNING id`,
    [chainGid, fromBlock ?? null],
  );
  if (rows[0] === undefined)
    throw conflict(`The blockchain ${chainGid} is being reset already: ask again when that is done.`);
  return rows[0].id;
}
