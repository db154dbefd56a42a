import { IncompleteBlockError, type BlockRef, type InclusionProof } from '@chainwatch/chain-core';
import { z } from 'zod';
import { parse } from './read-headers.ts';
import type { Session } from './session.ts';

const answerSchema = z
  .object({ slot: z.number(), transaction: z.object({ signatures: z.array(z.string()).min(1) }) })
  .nullable();

/** There is none: what is told instead are the signatures. @throws IncompleteBlockError, ChainClientError */
export async function readProof(
  { rpc, versions }: Session,
  { ref, hash, signal }: { readonly ref: BlockRef; readonly hash: string; readonly signal?: AbortSignal },
): Promise<InclusionProof> {
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: versions.max };
  const answer = parse(
    'getTransaction',
    answerSchema,
    await rpc.call('getTransaction', [hash, options], signal),
  );
  if (answer?.slot !== ref.number)
    throw new IncompleteBlockError(
      `block ${ref.number}: expected the transaction ${hash}, got ${answer === null ? 'none' : `it in slot ${answer.slot}`}`,
    );
  return {
    type: 'none',
    reason:
      'The hash of a block of Solana covers no tree of transactions: inclusion is the word of nodes. The signatures show who signed.',
    signatures: answer.transaction.signatures,
  };
}
