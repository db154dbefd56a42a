// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError, IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { z } from 'zod';
import { requestBlock } from './request-block.ts';
import type { Session } from './session.ts';

const listSchema = z.object({ blockhash: z.string(), signatures: z.array(z.string()) });

/**
 * Signatures of a block's transactions as the node lists them (`transactionDetails: "signatures"`). A node that stores
 * whole transactions reads them in another way for this.
 * @throws BlockNotFoundError when another block stands there, IncompleteBlockError when it is no list
 */
export async function listTransactions(
  session: Session,
  ref: BlockRef,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const answer = await requestBlock(session, { ref, transactionDetails: 'signatures', signal });
  const listed = listSchema.safeParse(answer.result);
  if (!listed.success)
    throw new IncompleteBlockError(
      `transactions of block ${ref.number} ${ref.hash}: expected a list of signatures, got something else`,
    );
  if (listed.data.blockhash !== ref.hash)
    throw new BlockNotFoundError(
      `slot ${ref.number}: expected block ${ref.hash}, got ${listed.data.blockhash}`,
      {
        publicMessage: `block ${ref.number} ${ref.hash} is not known to the node`,
      },
    );
  return listed.data.signatures;
}
