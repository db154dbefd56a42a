import { createPublicKey, randomInt, verify } from 'node:crypto';
import type { ParsedTransaction } from './parse-transaction.ts';

/** Of a transaction what its signature is checked with. */
export type Signed = Pick<ParsedTransaction, 'signature' | 'wire'>;

/**
 * Checking one takes some tenths of a millisecond, which a block of thousands does not allow: of large blocks some are drawn
 * by lot, so that a node that makes transactions up is found out within a few blocks.
 */
const ALL_MAX = 8;
const DRAWN = 2;

/** The first transaction found whose payer did not sign it. Encodings that are not the bytes cannot be checked. */
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
