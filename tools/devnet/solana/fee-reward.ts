// SPDX-License-Identifier: Apache-2.0
import { VersionedTransaction } from '@solana/web3.js';
import type { ExecutedTransaction } from './execute-transaction.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Programs that check signatures which an instruction carries: its first byte is their count, and they cost as much. */
const PRECOMPILES = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);

/** The leader's part of a block's fees: half of what signatures cost, and all that was offered on top (SIMD-0096). */
export function feeReward(transactions: readonly ExecutedTransaction[]): bigint {
  let base = 0n;
  let total = 0n;
  for (const { fee, bytes } of transactions) {
    const { message, signatures } = VersionedTransaction.deserialize(bytes);
    if (fee === 0n) continue;
    let count = signatures.length;
    for (const { programIdIndex, data } of message.compiledInstructions) {
      if (PRECOMPILES.has(message.staticAccountKeys[programIdIndex]?.toBase58() ?? '')) count += data[0] ?? 0;
    }
    base += BigInt(count) * LAMPORTS_PER_SIGNATURE;
    total += fee;
  }
  return total - base / 2n;
}
