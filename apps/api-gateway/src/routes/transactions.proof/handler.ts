// SPDX-License-Identifier: Apache-2.0
import type { BlockRef } from '@chainwatch/chain-core';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { TransactionRecord } from '@chainwatch/events';
import { conflict, notFound, ProblemError, tooManyRequests } from '@chainwatch/common/problem';
import { readProofs } from '../../proofs/read-proofs.ts';
import { proofSchema } from '../../records/proof.ts';
import { defineRoute } from '../../define-route.ts';
import { takeSlot } from '../../server/take-slot.ts';
import { hashParams } from '../transactions.get-by-hash/handler.ts';
import { findByHash } from '../transactions.get-by-hash/find-by-hash.ts';

/** A node reads and we hash a whole block for one: they wait for their turn. */
const PER_WORKSPACE = 4;

export const getTransactionProof = defineRoute({
  method: 'GET',
  path: '/transactions/:chain_gid/:hash/proof',
  permission: 'api:transaction:read',
  summary: 'What shows that the transaction is in its block, without trust in this service',
  params: hashParams,
  responses: { 200: proofSchema },
  problems: [409, 422, 502],
  handle: async ({ params: { chain_gid, hash }, principal, signal }, deps) => {
    const chainGid = normalizeChainGid(chain_gid);
    const record = await findByHash(deps.db, { projectId: principal.projectId, chainGid, hash });
    if (record === undefined)
      throw notFound(`There is no transaction ${hash} of ${chainGid} in this project.`);
    const block = blockOf(record);
    const free = await takeSlot(deps.cache, `proofs:${principal.workspaceId}`, PER_WORKSPACE);
    if (free === undefined)
      throw tooManyRequests(
        1,
        `Expected at most ${PER_WORKSPACE} proofs of a workspace at once, got one more.`,
      );
    try {
      const { status, confirmations, required_confirmations } = record;
      const { workspaceId } = principal;
      const query = { workspaceId, chainGid, block, hashes: [record.hash], signal };
      const proof = (await readProofs(query, deps)).get(record.hash)!;
      if (proof instanceof ProblemError) throw proof;
      return { status: 200, body: { ...proof, finality: { status, confirmations, required_confirmations } } };
    } finally {
      await free();
    }
  },
});

function blockOf({ hash, status, block_number: number, block_hash: blockHash }: TransactionRecord): BlockRef {
  if (status === 'reorged' || number === null || blockHash === null)
    throw conflict(`The transaction ${hash} is in no block of the chain: it is ${status}.`);
  return { number, hash: blockHash };
}
