// SPDX-License-Identifier: Apache-2.0
import { createPublicKey, randomInt, verify } from 'node:crypto';
import type { ParsedTransaction } from './parse-transaction.ts';

/** The parts of a transaction that its signature is checked with. */
export type Signed = Pick<ParsedTransaction, 'signature' | 'wire'>;

/**
 * Checking a signature takes some tenths of a millisecond, too long for all of a block with thousands. Larger
 * blocks are sampled at random, which finds a node that invents transactions within a few blocks.
 */
const ALL_MAX = 8;
const DRAWN = 2;

/** The first transaction found whose payer did not sign it. Encodings without the bytes cannot be checked. */
export function verifySignatures(all: readonly Signed[]): Signed | undefined {
  const transactions = all.filter(({ wire }) => wire !== undefined);
  if (transactions.length <= ALL_MAX) return transactions.find((tx) => !isSigned(tx));
  for (let left = DRAWN; left > 0; left -= 1) {
    const tx = transactions[randomInt(transactions.length)]!;
    if (!isSigned(tx)) return tx;
  }
  return undefined;
}

function isSigned({ wire }: Signed): boolean {
  if (wire === undefined) return true;
  const x = Buffer.from(wire.keyBytesAt(0)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, wire.message, key, wire.firstSignature);
}
