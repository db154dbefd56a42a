// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  describePublicly,
  FairQueue,
  IncompleteBlockError,
  type BlockRef,
  type ChainClient,
  type InclusionProof,
} from '@chainwatch/chain-core';
import type { Sql } from '@chainwatch/data/db';
import type { InclusionProofRecord } from '@chainwatch/events';
import { ProblemError } from '@chainwatch/common/problem';
import { askNodes } from '../chains/ask-nodes.ts';
import { findChain, loadFamily } from '../chains/find-chain.ts';
import type { ApiDeps } from '../api-deps.ts';

export type ProofDeps = Pick<ApiDeps, 'prisma' | 'sealer' | 'dial' | 'settings'> & {
  readonly db: Sql;
};

interface ProofsQuery {
  /** Whose turn it is; null: nobody knows. */
  readonly workspaceId: string | null;
  readonly chainGid: string;
  readonly block: BlockRef;
  readonly hashes: readonly string[];
  /** Who aborts gives its turn up. */
  readonly signal?: AbortSignal;
}

/** What shows a transaction; 422 without an endpoint, 502 where no node gives the block whole. */
export type Proofs = ReadonlyMap<string, InclusionProofRecord | ProblemError>;

/**
 * Blocks that this process holds at once. Chains take turns, and one whose nodes do not answer takes half of them at most;
 * then the workspaces that ask about the chain, each of which leaves one of these four to others.
 */
const turns = new FairQueue({ atOnce: 8, atOncePerPart: 3, leavesRoom: true });

/**
 * What shows that transactions are in a block, from a node of the chain, by hash; `none` where no node of it can show it. The
 * block is read once.
 * @throws ProblemError 404 without the chain, 422 without its family; the signal's reason
 */
export function readProofs(query: ProofsQuery, deps: ProofDeps): Promise<Proofs> {
  const { chainGid, workspaceId, signal } = query;
  const place = { owner: chainGid, part: `${chainGid} ${workspaceId}`, signal };
  return turns.run(place, () => readInTurn(query, deps));
}

async function readInTurn(query: ProofsQuery, deps: ProofDeps): Promise<Proofs> {
  const { chainGid, block, hashes } = query;
  const found = new Map<string, InclusionProof>();
  const listOpen = (): string[] => hashes.filter((hash) => !isFinal(found.get(hash)));
  const problem = await askNodes<void>(
    {
      chain: await findChain(deps, chainGid),
      ...(await loadFamily(chainGid)),
      purpose: 'to read the block from',
      ask: async (client) => {
        const open = listOpen();
        for (const [hash, proof] of await ask(client, { ...query, hashes: open }))
          if (isFinal(proof) || !found.has(hash)) found.set(hash, proof);
        const missing = open.find((hash) => !found.has(hash));
        if (missing !== undefined)
          throw new IncompleteBlockError(
            `block ${block.hash}: expected the transaction ${missing}, got none`,
          );
      },
      isFinal: () => listOpen().length === 0,
      explain: (failure) => explain(failure, { number: block.number, found }),
    },
    deps,
  ).catch((error: unknown) => {
    if (error instanceof ProblemError) return error;
    throw error;
  });
  return new Map(
    hashes.map((hash) => {
      const proof = found.get(hash);
      const isKnown = proof !== undefined && (problem === undefined || isFinal(proof));
      return [hash, isKnown ? toRecord({ chainGid, hash, block }, proof) : problem!];
    }),
  );
}

async function ask(
  client: ChainClient,
  { chainGid, block, hashes, signal }: ProofsQuery,
): Promise<ReadonlyMap<string, InclusionProof>> {
  if (client.readProofs) return client.readProofs(block, hashes, signal);
  const reason = `Blocks of ${chainGid} show no transaction to others.`;
  return new Map(hashes.map((hash) => [hash, { type: 'none', reason }]));
}

function isFinal(proof: InclusionProof | undefined): boolean {
  return proof !== undefined && !(proof.type === 'none' && proof.othersMayShow === true);
}

function toRecord(
  { chainGid, hash, block }: Pick<ProofsQuery, 'chainGid' | 'block'> & { readonly hash: string },
  proof: InclusionProof,
): InclusionProofRecord {
  const { type, othersMayShow: _, ...parts } = { othersMayShow: undefined, ...proof };
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

function explain(
  failure: unknown,
  { number, found }: { readonly number: number; readonly found: ReadonlyMap<string, InclusionProof> },
): string {
  for (const proof of found.values())
    if (proof.type === 'none' && !isFinal(proof))
      return `The proof could not be built: not every node of the chain answered, and one that did cannot show it. ${proof.reason}`;
  if (failure instanceof BlockNotFoundError)
    return `The proof could not be built: no node of the chain has block ${number}. Pruned nodes do not have old blocks: add an archive node.`;
  const reason = failure instanceof IncompleteBlockError ? ` ${describePublicly(failure)}.` : '';
  return `The proof could not be built: no node of the chain returned a complete block ${number}.${reason}`;
}
