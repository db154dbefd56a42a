import {
  BlockNotFoundError,
  describePublicly,
  IncompleteBlockError,
  type BlockRef,
  type InclusionProof,
} from '@chainwatch/chain-core';
import type { InclusionProofRecord } from '@chainwatch/events';
import { askNodes } from '../chains/ask-nodes.ts';
import { findChain, loadFamily } from '../chains/find-chain.ts';
import type { ApiDeps } from '../server/api-deps.ts';

export type ProofDeps = Pick<ApiDeps, 'prisma' | 'sealer' | 'dial' | 'settings'>;

interface ProofQuery {
  readonly chainGid: string;
  readonly hash: string;
  readonly block: BlockRef;
  readonly signal?: AbortSignal;
}

/**
 * What shows that a transaction is in a block, from a node of the chain.
 * @throws ProblemError 404, 422 without an endpoint, 502 where no node gives the block whole
 */
export async function readProof(
  { chainGid, hash, block, signal }: ProofQuery,
  deps: ProofDeps,
): Promise<InclusionProofRecord> {
  const proof = await askNodes(
    {
      chain: await findChain(deps, chainGid),
      ...(await loadFamily(chainGid)),
      purpose: 'to read the block from',
      ask: async (client): Promise<InclusionProof> =>
        (await client.readProof?.(block, hash, signal)) ?? {
          type: 'none',
          reason: `Blocks of ${chainGid} show no transaction to others.`,
        },
      explain: (failure) => explain(block.number, failure),
    },
    deps,
  );
  const { type, ...parts } = proof;
  return {
    type,
    chain_gid: chainGid,
    hash,
    block_hash: block.hash,
    block_number: block.number,
    header: null,
    branch: null,
    item: null,
    reason: null,
    ...(parts as Partial<InclusionProofRecord>),
  };
}

function explain(number: number, failure: unknown): string {
  if (failure instanceof BlockNotFoundError)
    return `The proof could not be built: no node of the chain has block ${number}. Nodes that prune forget old blocks; name one that keeps them.`;
  const reason = failure instanceof IncompleteBlockError ? ` ${describePublicly(failure)}.` : '';
  return `The proof could not be built: no node of the chain gave block ${number} whole.${reason}`;
}
