// SPDX-License-Identifier: Apache-2.0
import type { ProvedTransaction } from '@chainwatch/verify';
import type { Proof } from '../../api/proof-queries.ts';

export interface Verified {
  readonly shown: ProvedTransaction;
  /** The hash was pasted; otherwise it is the proof's own, which verifies nothing. */
  readonly isTrusted: boolean;
}

/** The service is not asked: the verifier runs in this page. @throws InvalidProofError */
export async function verifyProof(proof: Proof, pasted: string | undefined): Promise<Verified> {
  const { verifyTransaction } = await import('@chainwatch/verify');
  const trustedBlockHash = pasted ?? proof.block_hash;
  return { shown: await verifyTransaction(proof, { trustedBlockHash }), isTrusted: pasted !== undefined };
}
