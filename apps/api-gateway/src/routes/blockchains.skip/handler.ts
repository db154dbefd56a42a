// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { invalidRequest, unprocessableEntity } from '@chainwatch/common/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { recordChange } from '../../management/record-change.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { skipSchema, toSkipRecord } from '../../records/skip.ts';
import { defineRoute } from '../../define-route.ts';

const BLOCKS_MAX = 1_000;

const bodySchema = z.strictObject({
  from_block: z
    .int()
    .min(0)
    .meta({ description: 'The first block, one that was not processed yet.', examples: [21_000_000] }),
  to_block: z
    .int()
    .min(0)
    .meta({
      description: `The last block, one whose header is known. At most ${BLOCKS_MAX.toLocaleString('en')} blocks.`,
      examples: [21_000_002],
    }),
  confirm: z.string().meta({
    description: 'The chain as CAIP-2 once more: nothing in these blocks is reported or confirmed.',
    examples: ['eip155:1'],
  }),
});
type Body = z.infer<typeof bodySchema>;

/** Inserts a row by which the analyzer passes bodies that no node has. Bodies that a node has are processed. */
export const skipBlocks = defineRoute({
  method: 'POST',
  path: '/blockchains/:chain_gid/actions/skip',
  permission: 'api:blockchain:write',
  summary: 'Go on without the bodies of blocks that no node of a blockchain has',
  params: chainParams,
  body: bodySchema,
  example: { from_block: 21_000_000, to_block: 21_000_002, confirm: 'eip155:1' },
  responses: { 202: skipSchema },
  problems: [422],
  handle: async ({ params, body, principal, requestId }, deps) => {
    const chain = await findChain(deps, params.chain_gid);
    const { family } = await loadFamily(chain.gid);
    if (family.utxo !== undefined)
      throw unprocessableEntity(
        `The balances of ${chain.gid} are computed from every block, so none can be skipped: give the chain a node that has it.`,
      );
    const faults = listFaults(body, {
      gid: chain.gid,
      passed: Number(chain.analyzerState?.cursorNumber ?? -1),
      head: Number(chain.ingestorState?.headNumber ?? -1),
    });
    if (faults.length > 0) throw invalidRequest(faults);
    const { from_block: from, to_block: to } = body;
    const id = await deps.db.transaction(async (sql) => {
      const { rows } = await sql.query<{ id: string }>(
        'INSERT INTO skips (chain_gid, from_block, to_block) VALUES ($1, $2, $3) RETURNING id',
        [chain.gid, from, to],
      );
      await recordChange(
        sql,
        { principal, requestId },
        {
          action: 'skip.requested',
          targetId: rows[0]!.id,
          to: { chain_gid: chain.gid, from_block: from, to_block: to },
        },
      );
      return rows[0]!.id;
    });
    announceChain(deps, chain.gid);
    return { status: 202, body: toSkipRecord(await deps.prisma.skip.findUniqueOrThrow({ where: { id } })) };
  },
});

function listFaults(
  { from_block: from, to_block: to, confirm }: Body,
  { gid, passed, head }: { readonly gid: string; readonly passed: number; readonly head: number },
): { name: string; reason: string }[] {
  const faults: { name: string; reason: string }[] = [];
  if (confirm !== gid)
    faults.push({ name: 'confirm', reason: `expected ${gid}, the blockchain whose blocks are skipped` });
  if (from <= passed)
    faults.push({
      name: 'from_block',
      reason: `expected ${passed + 1} or above, the first block that was not processed`,
    });
  if (from > to) faults.push({ name: 'from_block', reason: 'expected to_block or below' });
  if (to > head)
    faults.push({
      name: 'to_block',
      reason:
        head < 0 ? 'expected a known block, and none is' : `expected ${head} or below, the newest block`,
    });
  if (to - from >= BLOCKS_MAX)
    faults.push({ name: 'to_block', reason: `expected at most ${BLOCKS_MAX.toLocaleString('en')} blocks` });
  return faults;
}
