// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError } from '@chainwatch/chain-core';
import { z } from 'zod';
import { isBehindContext } from './classify-node-error.ts';
import { parse } from './read-headers.ts';
import type { Session } from './session.ts';
import type { SignatureEntry, SignatureList } from './signature-book.ts';

/** The node's limit for one call. */
const PAGE_SIGNATURES = 1_000;
/** Kept of one account: those of the lowest slots. */
const ENTRIES_MAX = 5_000;

const pageSchema = z.array(z.object({ signature: z.string().min(1), slot: z.int().min(0) }));

/**
 * The final transactions in slots [fromSlot, toSlot] that name an account; of many, those of the lowest slots.
 * @throws BlockNotFoundError when `toSlot` is not final to the node yet, so that its list would end early
 */
export async function listSignatures(
  session: Session,
  {
    account,
    slots: { fromSlot, toSlot },
    signal,
  }: {
    readonly account: string;
    readonly slots: { readonly fromSlot: number; readonly toSlot: number };
    readonly signal?: AbortSignal;
  },
): Promise<SignatureList> {
  const known = session.signatures.find(account, fromSlot);
  if (known !== undefined) return known;
  let found: SignatureEntry[] = [];
  let coveredSlot = toSlot;
  for (let before: string | undefined; ; ) {
    const page = await readPage(session, { account, toSlot, before, signal });
    found.push(...page.filter(({ slot }) => slot >= fromSlot && slot <= toSlot));
    if (found.length > ENTRIES_MAX) {
      // Whole slots: those of the highest slot that is kept in part go, too.
      coveredSlot = found[found.length - ENTRIES_MAX - 1]!.slot - 1;
      found = found.filter(({ slot }) => slot <= coveredSlot);
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_SIGNATURES || last.slot < fromSlot) break;
    before = last.signature;
  }
  const list = { fromSlot, toSlot: coveredSlot, entries: found.reverse() };
  session.signatures.add(account, list);
  return list;
}

async function readPage(
  session: Session,
  {
    account,
    toSlot,
    before,
    signal,
  }: {
    readonly account: string;
    readonly toSlot: number;
    readonly before: string | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<z.infer<typeof pageSchema>> {
  const config = {
    commitment: 'finalized',
    minContextSlot: toSlot,
    limit: PAGE_SIGNATURES,
    ...(before === undefined ? {} : { before }),
  };
  try {
    return parse(
      'getSignaturesForAddress',
      pageSchema,
      await session.rpc.call('getSignaturesForAddress', [account, config], signal),
    );
  } catch (error) {
    if (!isBehindContext(error)) throw error;
    throw new BlockNotFoundError(`getSignaturesForAddress: slot ${toSlot} is not final to the node yet`, {
      cause: error,
      publicMessage: `block ${toSlot} is not known to the node`,
    });
  }
}
