// SPDX-License-Identifier: Apache-2.0
import type { UnknownPart } from '@chainwatch/chain-core';
import { LAMPORTS_PER_SIGNATURE } from './leader-pay.ts';
import type { ParsedTransaction } from './parse-transaction.ts';
import { countPrecompiled } from './verify-fees.ts';

/**
 * Version 1 states its whole fee: 5,000 lamports for each signature, those that precompiles check included, and the
 * priority fee of its configuration (SIMD-0385). Another fee means that rules changed, which must not stop the chain.
 * A fee of 0 is that of a payer who could not pay (SIMD-0290). Undefined: the fee is right, or states nothing.
 */
export function findFeeFault(tx: ParsedTransaction): UnknownPart | undefined {
  const { config, meta } = tx;
  if (config === undefined) return undefined;
  const fee = BigInt(meta.fee);
  if (fee === 0n) return undefined;
  const signatures = BigInt(tx.signatureCount + countPrecompiled(tx));
  const expected = signatures * LAMPORTS_PER_SIGNATURE + (config.priorityFee ?? 0n);
  if (fee === expected) return undefined;
  return {
    kind: 'transaction-fee:version-1',
    transactionHash: tx.signature,
    expected: `${expected} lamports`,
    got: `${fee} lamports`,
  };
}
