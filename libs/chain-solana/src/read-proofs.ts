// SPDX-License-Identifier: Apache-2.0
import type { BlockRef, InclusionProof, ProofsQuery } from '@chainwatch/chain-core';
import { z } from 'zod';
import { parse } from './read-headers.ts';
import type { Session } from './session.ts';

const answerSchema = z
  .object({ slot: z.number(), transaction: z.object({ signatures: z.array(z.string()).min(1) }) })
  .nullable();

/** There are none: what is told instead are the signatures. @throws ChainClientError */
export async function readProofs(
  session: Session,
  { ref, hashes, signal }: ProofsQuery,
): Promise<Map<string, InclusionProof>> {
  const proofs = new Map<string, InclusionProof>();
  await Promise.all(
    hashes.map(async (hash) => {
      const signatures = await findSignatures(session, { ref, hash, signal });
      if (signatures === undefined) return;
      proofs.set(hash, {
        type: 'none',
        reason:
          'The hash of a block of Solana covers no tree of transactions: inclusion is the word of nodes. The signatures show who signed.',
        signatures,
      });
    }),
  );
  return proofs;
}

/** Undefined where the slot has no such transaction. */
async function findSignatures(
  { rpc, versions }: Session,
  { ref, hash, signal }: { readonly ref: BlockRef; readonly hash: string; readonly signal?: AbortSignal },
): Promise<readonly string[] | undefined> {
  const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: versions.max };
  const answer = parse(
    'getTransaction',
    answerSchema,
    await rpc.call('getTransaction', [hash, options], signal),
  );
  return answer?.slot === ref.number ? answer.transaction.signatures : undefined;
}
