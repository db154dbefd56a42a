// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  IncompleteBlockError,
  type BlockRef,
  type DecodedVerification,
  type ReadBlockOptions,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { z } from 'zod';
import { requestBlock } from './request-block.ts';
import type { Session } from './session.ts';
import type { VerifiedBlock } from './verify-block.ts';

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

/** What stands behind a block's list of transactions. */
export interface WholeBlock {
  /** Absent: the leader's reward proves the list. */
  readonly block?: DecodedVerification;
  /** The same for each of its transactions. */
  readonly transactions?: DecodedVerification;
  /** Why the list is not proved, where that is an incident. */
  readonly unknowns: readonly UnknownPart[];
}

interface Proving {
  readonly ref: BlockRef;
  readonly verified: Pick<VerifiedBlock<unknown>, 'fees' | 'reward' | 'listSignatures'>;
  readonly options: Pick<ReadBlockOptions, 'listElsewhere'> & { readonly signal?: AbortSignal | undefined };
}

/**
 * What stands behind the list where the leader's reward does not prove it (docs/adr/0007-solana-completeness.md):
 *
 * | Reward | Another operator's list | The node's own list | Result |
 * |---|---|---|---|
 * | none or another amount | the same | not asked | `agreed` |
 * | none or another amount | another one | the same | `unproved`, incident |
 * | none | none given | the same | `attested` |
 * | another amount | none given | the same | `unproved`, incident |
 *
 * @throws IncompleteBlockError where the node's own list is another one: it contradicts itself
 */
export async function proveWhole(session: Session, { ref, verified, options }: Proving): Promise<WholeBlock> {
  if (verified.fees === 'proved') return { unknowns: [] };
  const signatures = verified.listSignatures();
  const elsewhere = await options.listElsewhere?.(ref, options.signal);
  if (elsewhere !== undefined && isSameList(elsewhere, signatures))
    return { block: 'agreed', transactions: 'agreed', unknowns: [] };
  const own = await listTransactions(session, ref, options.signal);
  if (!isSameList(own, signatures))
    throw new IncompleteBlockError(
      `transactions of block ${ref.number} ${ref.hash}: expected ${own.length}, as the node lists, got ${signatures.length}, or others`,
    );
  const unknowns = [
    ...(verified.reward === undefined ? [] : [verified.reward]),
    ...(elsewhere === undefined ? [] : [disputed(elsewhere, signatures)]),
  ];
  const verification = unknowns.length === 0 ? 'attested' : 'unproved';
  return { block: verification, transactions: verification, unknowns };
}

function disputed(elsewhere: readonly string[], signatures: readonly string[]): UnknownPart {
  const own = new Set(signatures);
  const missing = elsewhere.find((signature) => !own.has(signature));
  return {
    kind: 'transaction-list:disputed',
    ...(missing !== undefined && { transactionHash: missing }),
    expected: `the ${elsewhere.length} transactions that the node of another operator lists`,
    got: `${signatures.length} transactions`,
  };
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((signature, place) => signature === other[place]);
}
