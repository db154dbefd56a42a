// SPDX-License-Identifier: Apache-2.0
import { setImmediate as nextTurn } from 'node:timers/promises';
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { Block, BlockRef, SenderSignature, Transaction } from '@chainwatch/chain-core';
import { recover } from 'tiny-secp256k1';
import { keccak256Hex } from './encode-rlp.ts';
import { encodeSigned, isSigned, typeOf } from './encode-transaction.ts';
import type { EvmTraits } from './networks.ts';
import type { RawTransaction } from './raw-block.ts';
import type { Session } from './session.ts';

/** A recovery takes about 2 ms, so other work gets its turn after this many. */
const RECOVERIES_A_TURN = 4;
const DOUBTED_MAX = 64;

/**
 * Proves the senders that the node told, which no root covers. A block with a wrong one is doubted: the next
 * time it is read from this endpoint, every sender is proved before the block is returned, so that a wrong
 * one makes the caller ask another endpoint.
 * @throws IncompleteBlockError naming the first one that is wrong
 */
export async function proveSenders(
  { doubted }: Pick<Session, 'doubted'>,
  {
    ref,
    transactions,
    signal,
  }: { readonly ref: BlockRef; readonly transactions: readonly Transaction[]; readonly signal?: AbortSignal },
): Promise<void> {
  for (const [position, { hash, from, signature }] of transactions.entries()) {
    if (position % RECOVERIES_A_TURN === RECOVERIES_A_TURN - 1) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    if (signature === undefined) continue;
    const signer = recoverSender(signature);
    if (signer === from) continue;
    doubt(doubted, ref.hash);
    throw new IncompleteBlockError(
      `sender of transaction ${hash} in block ${ref.number} ${ref.hash}: expected ${signer ?? 'a signature'}, got ${from ?? 'none'}`,
    );
  }
}

/** The next time the block is read from this endpoint, it is returned only if every sender is proved. */
function doubt(doubted: Set<string>, hash: string): void {
  const [oldest] = doubted;
  if (doubted.size >= DOUBTED_MAX && oldest !== undefined) doubted.delete(oldest);
  doubted.add(hash);
}

/** The same for every transaction of a doubted block. */
export async function proveDoubted(
  session: Pick<Session, 'doubted'>,
  { ref, block, signal }: { readonly ref: BlockRef; readonly block: Block; readonly signal?: AbortSignal },
): Promise<void> {
  if (!session.doubted.has(ref.hash)) return;
  await proveSenders(session, { ref, transactions: block.transactions, signal });
  session.doubted.delete(ref.hash);
}

/**
 * The sender's signature and what it covers. Undefined where a transaction has none (deposits, messages and
 * whatever else a chain makes itself), and on chains where it may be nobody's.
 */
export function readSignature(tx: RawTransaction, traits: EvmTraits): SenderSignature | undefined {
  if (!isSigned(typeOf(tx), traits.stack) || traits.impersonation || traits.roots === 'tolerant')
    return undefined;
  const [r, s] = [BigInt(tx.r ?? 0), BigInt(tx.s ?? 0)];
  // Optimism before Bedrock, Polygon's state syncs: the root proves that there is no signature.
  if (r === 0n && s === 0n) return undefined;
  const v = BigInt((typeOf(tx) === 0 ? tx.v : (tx.yParity ?? tx.v)) ?? 0);
  const chainId = typeOf(tx) === 0 && v >= 35n ? (v - 35n) / 2n : undefined;
  const parity = chainId !== undefined ? (v - 35n) % 2n : v >= 27n ? v - 27n : v;
  return {
    // Only where somebody takes part: it costs as much as the hash of the transaction.
    get digest() {
      return keccak256Hex(encodeSigned(tx, { chainId, stack: traits.stack }));
    },
    r,
    s,
    parity: Number(parity),
  };
}

/** Address of the account that signed; undefined where the signature is nobody's. About 0.5 ms. */
export function recoverSender({ digest, r, s, parity }: SenderSignature): string | undefined {
  if (parity !== 0 && parity !== 1) return undefined;
  try {
    const signature = Buffer.from(wordOf(r) + wordOf(s), 'hex');
    const key = recover(Buffer.from(digest, 'hex'), signature, parity, false);
    return key === null ? undefined : `0x${keccak256Hex(key.subarray(1)).slice(24)}`;
  } catch {
    return undefined;
  }
}

function wordOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
