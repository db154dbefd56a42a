import {
  BlockNotFoundError,
  describePublicly,
  IncompleteBlockError,
  type InclusionProof,
} from '@chainwatch/chain-core';
import { normalizeChainGid } from '@chainwatch/chain-registry';
import type { TransactionRecord } from '@chainwatch/events';
import { conflict, notFound, tooManyRequests } from '@chainwatch/problem';
import type { z } from 'zod';
import { askNodes } from '../../chains/ask-nodes.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { proofSchema } from '../../records/proof.ts';
import { defineRoute } from '../../server/define-route.ts';
import { takeSlot } from '../../server/take-slot.ts';
import { hashParams } from '../transactions.get-by-hash/handler.ts';
import { findByHash } from '../transactions.get-by-hash/find-by-hash.ts';

/** A node reads and we hash a whole block for one. */
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
    const chain = await findChain(deps, chainGid);
    const free = await takeSlot(deps.cache, `proofs:${principal.workspaceId}`, PER_WORKSPACE);
    if (free === undefined)
      throw tooManyRequests(
        1,
        `Expected at most ${PER_WORKSPACE} proofs of a workspace at once, got one more.`,
      );
    try {
      const proof = await askNodes(
        {
          chain,
          ...(await loadFamily(chainGid)),
          purpose: 'to read the block from',
          ask: async (client): Promise<InclusionProof> =>
            (await client.readProof?.(block, record.hash, signal)) ?? {
              type: 'none',
              reason: `Blocks of ${chainGid} show no transaction to others.`,
            },
          explain: (failure) => explain(block.number, failure),
        },
        deps,
      );
      return { status: 200, body: toRecord(record, block, proof) };
    } finally {
      await free();
    }
  },
});

interface Block {
  readonly number: number;
  readonly hash: string;
}

function blockOf({ hash, status, block_number: number, block_hash: blockHash }: TransactionRecord): Block {
  if (status === 'reorged' || number === null || blockHash === null)
    throw conflict(`The transaction ${hash} is in no block of the chain: it is ${status}.`);
  return { number, hash: blockHash };
}

function explain(number: number, failure: unknown): string {
  if (failure instanceof BlockNotFoundError)
    return `The proof could not be built: no node of the chain has block ${number}. Nodes that prune forget old blocks; name one that keeps them.`;
  const reason = failure instanceof IncompleteBlockError ? ` ${describePublicly(failure)}.` : '';
  return `The proof could not be built: no node of the chain gave block ${number} whole.${reason}`;
}

function toRecord(
  { chain_gid, hash, status, confirmations, required_confirmations }: TransactionRecord,
  block: Block,
  { type, ...parts }: InclusionProof,
): z.input<typeof proofSchema> {
  return {
    type,
    chain_gid,
    hash,
    block_hash: block.hash,
    block_number: block.number,
    header: null,
    branch: null,
    item: null,
    reason: null,
    ...(parts as Partial<z.input<typeof proofSchema>>),
    finality: { status, confirmations, required_confirmations },
  };
}
