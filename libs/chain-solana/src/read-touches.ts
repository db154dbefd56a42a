// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { requestBlock, toRawBlock } from './request-block.ts';
import { findHeaderByNumber, listSlots } from './read-headers.ts';
import type { Session } from './session.ts';
import { readTouches, type Touches } from './touch-book.ts';

/** Most slots over which a reading is undone. Older states are not available, as on a node without an archive. */
const SLOTS_MAX = 128;

/**
 * The states that the blocks above `at`, up to the slot `to`, found before they changed them; ascending.
 * @throws BlockNotFoundError when `at` is not (or no longer) canonical, or too far back
 */
export async function readTouchesAbove(
  session: Session,
  { at, to, signal }: { readonly at: BlockRef; readonly to: number; readonly signal?: AbortSignal },
): Promise<Touches[]> {
  if (to - at.number > SLOTS_MAX)
    throw new BlockNotFoundError(
      `the state at block ${at.number} is ${to - at.number} slots back: expected at most ${SLOTS_MAX}`,
    );
  const [first, ...slots] = await listSlots(session, {
    from: at.number,
    to: Math.max(to, at.number),
    signal,
  });
  if (first !== at.number) throw notCanonical(at, 'no block');
  const header = await findHeaderByNumber(session, at.number, signal);
  if (header?.hash !== at.hash) throw notCanonical(at, header?.hash ?? 'no block');
  const found: Touches[] = [];
  let parent: BlockRef = at;
  for (const slot of slots) {
    const touches =
      session.touches.find(parent.hash, slot) ?? (await readOne(session, { parent, slot, signal }));
    found.push(touches);
    parent = touches.ref;
  }
  return found;
}

async function readOne(
  session: Session,
  {
    parent,
    slot,
    signal,
  }: { readonly parent: BlockRef; readonly slot: number; readonly signal?: AbortSignal },
): Promise<Touches> {
  const ref = { number: slot, hash: 'unknown yet' };
  const raw = toRawBlock(
    ref,
    (await requestBlock(session, { ref, transactionDetails: 'accounts', signal })).readExact(),
  );
  if (raw.previousBlockhash !== parent.hash) throw notCanonical(parent, raw.previousBlockhash);
  try {
    const touches = readTouches(slot, raw);
    session.touches.add(parent.hash, touches);
    return touches;
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError))
      throw error;
    throw new IncompleteBlockError(`block ${slot} could not be read: ${error.message}`, { cause: error });
  }
}

function notCanonical(at: BlockRef, got: string): BlockNotFoundError {
  return new BlockNotFoundError(`slot ${at.number}: expected block ${at.hash}, got ${got}`, {
    publicMessage: `block ${at.number} ${at.hash} is not known to the node`,
  });
}
