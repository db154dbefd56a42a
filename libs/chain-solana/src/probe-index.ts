// SPDX-License-Identifier: Apache-2.0
import { BlockNotFoundError } from '@chainwatch/chain-core';
import { z } from 'zod';
import { askWithVersions } from './ask-with-versions.ts';
import { findHeaderByNumber, parse } from './read-headers.ts';
import { listTransactions } from './list-transactions.ts';
import type { Session } from './session.ts';

/** Blocks that are looked into for a transaction to probe with. */
const BLOCKS_MAX = 8;
/** Transactions that are probed with, until one tells. */
const PROBES_MAX = 3;
/** The node's limit for one list. */
const LIST_MAX = 1_000;

const slotsSchema = z.array(z.int().min(0));
const listSchema = z.array(z.object({ signature: z.string() }));
const transactionSchema = z.object({
  transaction: z.object({ message: z.object({ accountKeys: z.array(z.string()).min(1) }) }),
});

/**
 * Checks that the node's index of signatures reaches down to a slot: it must list transactions of the first block there,
 * which the node itself has shown, under their payers. An index keeps less than blocks do where it was pruned, filled from a
 * snapshot, or switched on late, and its lists then end early without a word.
 * @returns the last slot of those that have no transaction, where none of the first blocks has one
 * @throws BlockNotFoundError where it does not
 */
export async function probeIndex(
  session: Session,
  fromSlot: number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const { signatures, emptyTo } = await readFirst(session, fromSlot, signal);
  if (signatures.length === 0) return emptyTo;
  const last = signatures.at(-1);
  for (const signature of pickProbes(signatures)) {
    const payer = await findPayer(session, signature, signal);
    const ask = async (config: object): Promise<string[]> =>
      parse(
        'getSignaturesForAddress',
        listSchema,
        await session.rpc.call(
          'getSignaturesForAddress',
          [payer, { commitment: 'finalized', ...config }],
          signal,
        ),
      ).map((entry) => entry.signature);
    if (signature !== last && (await ask({ before: last, limit: LIST_MAX })).includes(signature))
      return undefined;
    const newest = await ask({ limit: LIST_MAX });
    if (newest.includes(signature)) return undefined;
    // A list that is not full is all that the index has.
    if (newest.length < LIST_MAX) break;
  }
  throw notIndexed(fromSlot);
}

/** Signatures of the first blocks from a slot on: of as few as have two. */
async function readFirst(
  session: Session,
  fromSlot: number,
  signal?: AbortSignal,
): Promise<{ readonly signatures: readonly string[]; readonly emptyTo: number }> {
  const slots = parse(
    'getBlocksWithLimit',
    slotsSchema,
    await session.rpc.call('getBlocksWithLimit', [fromSlot, BLOCKS_MAX, { commitment: 'finalized' }], signal),
  );
  if (slots.length === 0)
    throw new BlockNotFoundError(`block ${fromSlot} is not known to the node: it has none from there on`);
  const signatures: string[] = [];
  let reached = fromSlot - 1;
  for (const slot of slots) {
    const header = await findHeaderByNumber(session, slot, signal);
    // A block that stands on one which the node leaves out: its storage has a hole.
    if (header === undefined || (header.parentNumber ?? 0) > Math.max(reached, 0)) throw notIndexed(fromSlot);
    signatures.push(...(await listTransactions(session, header, signal)));
    if (signatures.length > 1) break;
    reached = slot;
  }
  return { signatures, emptyTo: reached };
}

/** The first transaction, one in the middle, and one near the end: votes come in runs. */
function pickProbes(signatures: readonly string[]): readonly string[] {
  const picked = [0, signatures.length >> 1, signatures.length - 2].slice(0, PROBES_MAX);
  return [...new Set(picked.flatMap((position) => signatures[position] ?? []))];
}

async function findPayer(session: Session, signature: string, signal?: AbortSignal): Promise<string> {
  const result = await askWithVersions(session, (maxSupportedTransactionVersion) => {
    const config = { commitment: 'finalized', encoding: 'json', maxSupportedTransactionVersion };
    return session.rpc.call('getTransaction', [signature, config], signal);
  });
  if (result === null)
    throw new BlockNotFoundError(`transaction ${signature}, whose block the node has, is not known to it`, {
      publicMessage: "the node's index of transactions does not cover the range",
    });
  return parse('getTransaction', transactionSchema, result).transaction.message.accountKeys[0]!;
}

const notIndexed = (slot: number): BlockNotFoundError =>
  new BlockNotFoundError(`getSignaturesForAddress: the node's index does not reach down to slot ${slot}`, {
    publicMessage: `the node's index of signatures does not reach down to block ${slot}`,
  });
