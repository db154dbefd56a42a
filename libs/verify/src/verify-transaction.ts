// SPDX-License-Identifier: Apache-2.0
import { fail, reasonOf, type Proof, type ProvedTransaction } from './proof.ts';
import { verifyMerkle } from './verify-merkle.ts';
import { verifyMpt } from './verify-mpt.ts';
import { verifySignedMerkle } from './verify-signed-merkle.ts';

/** Where the block's hash comes from: never from the service that gave the proof. */
export type Trust =
  | { readonly trustedBlockHash: string }
  | {
      /** The hash of the block at this height, from a node or an explorer of your own. */
      readonly getBlockHash: (blockNumber: number, chainGid: string) => string | Promise<string>;
    };

/**
 * What the proof shows, decoded from its bytes: the transaction is in the block whose hash you trust. It does not show that
 * nothing else happened, nor that the chain keeps the block.
 *
 * @example
 * const { transfers } = await verifyTransaction(proof, { getBlockHash: (number) => myNode.blockHash(number) });
 * @throws InvalidProofError that says what does not hold
 */
export async function verifyTransaction(proof: Proof, trust: Trust): Promise<ProvedTransaction> {
  if (typeof proof !== 'object' || proof === null) return fail('expected a proof');
  for (const member of ['type', 'chain_gid', 'hash', 'block_hash'] as const)
    if (typeof proof[member] !== 'string')
      return fail(`${member}: expected a text, got ${typeof proof[member]}`);
  const verify = VERIFIERS.get(proof.type);
  if (verify === undefined)
    return fail(reasonOf(proof) ?? `type: ${proof.type} is not known here, so that it shows nothing`);
  if (!Number.isSafeInteger(proof.block_number) || proof.block_number < 0)
    return fail('block_number: expected a whole number from 0');
  const trusted =
    'trustedBlockHash' in trust
      ? trust.trustedBlockHash
      : await trust.getBlockHash(proof.block_number, proof.chain_gid);
  if (typeof trusted !== 'string')
    return fail(`block_hash: expected the hash that you trust, got ${String(trusted)}`);
  if (trusted.toLowerCase() !== proof.block_hash)
    return fail(`block_hash: expected ${trusted}, which you trust, got ${proof.block_hash}`);
  try {
    return verify(proof);
  } catch (error) {
    // A member of another kind than a proof has.
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)
      return fail(`expected the members of a proof: ${error.message}`);
    throw error;
  }
}

type Verify = (proof: Proof) => ProvedTransaction;

/** A map: the type is the proof's own word, and an object has more names than these. */
const VERIFIERS: ReadonlyMap<string, Verify> = new Map([
  ['mpt', verifyMpt],
  ['merkle', verifyMerkle],
  ['signed_merkle', verifySignedMerkle],
]);
