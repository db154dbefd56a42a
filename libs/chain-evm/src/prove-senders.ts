import { setImmediate as nextTurn } from 'node:timers/promises';
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { Block, BlockRef, Transaction } from '@chainwatch/chain-core';
import { recoverSender } from './sender-signature.ts';
import type { Session } from './session.ts';

/** A recovery takes about 2 ms; others have their turn after some. */
const RECOVERIES_A_TURN = 4;
const DOUBTED_MAX = 64;

/**
 * Proves that transactions have the senders that the node told, which no root covers. A block with a wrong one is doubted: the
 * next time it is read from this endpoint, every sender in it is proved before it is given, so that another endpoint is asked.
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

/** The same of a whole block that was doubted. */
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
