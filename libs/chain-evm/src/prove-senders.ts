import { setImmediate as nextTurn } from 'node:timers/promises';
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { Block, BlockRef, Transaction } from '@chainwatch/chain-core';
import { recoverSender } from './sender-signature.ts';
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
  ref: BlockRef,
  transactions: readonly Transaction[],
  signal?: AbortSignal,
): Promise<void> {
  for (const [position, { hash, from, signature }] of transactions.entries()) {
    if (position % RECOVERIES_A_TURN === RECOVERIES_A_TURN - 1) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    if (signature === undefined) continue;
    const signer = recoverSender(signature);
    if (signer === from) continue;
    const [oldest] = doubted;
    if (doubted.size >= DOUBTED_MAX && oldest !== undefined) doubted.delete(oldest);
    doubted.add(ref.hash);
    throw new IncompleteBlockError(
      `sender of transaction ${hash} in block ${ref.number} ${ref.hash}: expected ${signer ?? 'a signature'}, got ${from ?? 'none'}`,
    );
  }
}

/** The same for every transaction of a doubted block. */
export async function proveDoubted(
  session: Pick<Session, 'doubted'>,
  ref: BlockRef,
  block: Block,
  signal?: AbortSignal,
): Promise<void> {
  if (!session.doubted.has(ref.hash)) return;
  await proveSenders(session, ref, block.transactions, signal);
  session.doubted.delete(ref.hash);
}
