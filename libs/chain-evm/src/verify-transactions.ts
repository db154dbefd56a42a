// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { computeOrderedRoot } from './compute-ordered-root.ts';
import { encodeTransaction, isOfStack, typeOf } from './encode-transaction.ts';
import type { EvmTraits } from './networks.ts';
import { keccak256Hex } from './encode-rlp.ts';
import { transactionMembers } from './known-members.ts';
import type { RawBlock, RawTransaction } from './raw-block.ts';
import { describeMember, listUnknownMembers } from './unknown-parts.ts';
import type { UnknownParts } from './unknown-parts.ts';

/** Raw encodings from the node, by hash, of transactions whose encoding is not known here. */
export type RawEncodings = ReadonlyMap<string, Uint8Array>;

interface TransactionRules {
  readonly traits: EvmTraits;
  readonly encodings: RawEncodings;
  /** Where what is not known is added. */
  readonly parts: UnknownParts;
}

export interface VerifiedTransactions {
  /** Of the transactions that are not known. */
  readonly unknown: ReadonlySet<string>;
  /** Hashes of transactions, unknown or not, whose raw encoding is needed for the root. */
  readonly missing: readonly string[];
}

/**
 * Proves that a block's transactions have their hashes and are those of `transactionsRoot`. Where an encoding
 * is neither known nor given, the root cannot be computed: `missing` names the transaction then, and the list
 * of transactions is the node's word.
 * @throws IncompleteBlockError, InvalidHexError
 */
export async function verifyTransactions(
  block: RawBlock,
  transactions: readonly RawTransaction[],
  { traits, encodings, parts }: TransactionRules,
): Promise<VerifiedTransactions> {
  const isStrict = traits.roots === 'strict';
  const unknown = new Set<string>();
  const missing: string[] = [];
  const values: Uint8Array[] = [];
  for (const [index, tx] of transactions.entries()) {
    const own = encodeTransaction(tx, traits.stack);
    if (own !== undefined && isOwnHash({ block, index, traits }, tx, own)) {
      values.push(own);
      continue;
    }
    const encoding = encodings.get(tx.hash);
    if (encoding === undefined) missing.push(tx.hash);
    else values.push(expectEncoding(block, { index, tx, encoding }));
    if (isStrict && (own !== undefined || encoding === undefined || !isOfStack(typeOf(tx), traits.stack))) {
      unknown.add(tx.hash);
      addPart(parts, tx, own !== undefined && isOfStack(typeOf(tx), traits.stack));
    }
  }
  if (!isStrict) return { unknown, missing: [] };
  if (missing.length > 0) return { unknown, missing };
  const root = computeOrderedRoot(values);
  if (root === block.transactionsRoot) return { unknown, missing };
  return fail(block, {
    what: 'transactionsRoot',
    expected: block.transactionsRoot,
    got: `${root} from ${transactions.length} transactions`,
  });
}

/** False where the transaction has an unknown part, so that `own` is not its encoding. */
function isOwnHash(
  { block, index, traits }: { block: RawBlock; index: number; traits: EvmTraits },
  tx: RawTransaction,
  own: Uint8Array,
): boolean {
  const hash = `0x${keccak256Hex(own)}`;
  if (tx.hash === hash) return true;
  // Arbitrum's classic transactions keep a hash of an older encoding; the common types never do.
  if (traits.impersonation || (traits.roots === 'tolerant' && typeOf(tx) > 4)) return true;
  if (!isOfStack(typeOf(tx), traits.stack) || listUnknownMembers(tx, transactionMembers).length > 0)
    return false;
  return fail(block, { what: `hash of transaction ${index}`, expected: tx.hash, got: hash });
}

/** A raw encoding that is the transaction's, and of the type that its fields tell. */
function expectEncoding(
  block: RawBlock,
  {
    index,
    tx,
    encoding,
  }: { readonly index: number; readonly tx: RawTransaction; readonly encoding: Uint8Array },
): Uint8Array {
  const hash = `0x${keccak256Hex(encoding)}`;
  if (tx.hash !== hash)
    fail(block, {
      what: `hash of transaction ${index}`,
      expected: tx.hash,
      got: `${hash} from its raw encoding`,
    });
  const first = encoding[0] ?? 0;
  const type = first < 0x80 ? first : 0;
  if (type !== typeOf(tx))
    fail(block, {
      what: `type of transaction ${index}`,
      expected: `0x${type.toString(16)} as in its raw encoding`,
      got: tx.type ?? 'none',
    });
  return encoding;
}

function addPart(parts: UnknownParts, tx: RawTransaction, hasKnownType: boolean): void {
  const at = { transactionHash: tx.hash };
  const names = listUnknownMembers(tx, transactionMembers);
  if (!hasKnownType) {
    const type = `0x${typeOf(tx).toString(16)}`;
    parts.add('transaction-type', type, {
      ...at,
      expected: 'a type that is known',
      got: `${type} with ${Object.keys(tx).join(', ')}`,
    });
    return;
  }
  for (const name of names)
    parts.add('transaction-field', name, {
      ...at,
      expected: `a transaction with the hash ${tx.hash}`,
      got: describeMember(tx, name),
    });
}

function fail(
  block: RawBlock,
  { what, expected, got }: { readonly what: string; readonly expected: string; readonly got: string },
): never {
  throw new IncompleteBlockError(
    `${what} of block ${Number(block.number)} ${block.hash}: expected ${expected}, got ${got}`,
  );
}
