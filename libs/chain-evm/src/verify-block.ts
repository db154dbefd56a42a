import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { BlockRef } from '@chainwatch/chain-core';
import { findStateSync } from './bor-state-sync.ts';
import { encodeReceipt } from './encode-receipt.ts';
import { encodeTransaction, typeOf } from './encode-transaction.ts';
import { traitsAt } from './evm-traits.ts';
import type { EvmTraits } from './evm-traits.ts';
import { keccak256 } from './keccak.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import { orderedTrieRoot } from './ordered-trie-root.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import { InvalidHexError, RlpWriter, spells } from './rlp-writer.ts';
import { verifyHeader } from './verify-header.ts';
import { verifyReceiptLinks } from './verify-receipt-links.ts';

const writer = new RlpWriter();

/** A block whose parts were proved; `receipts[i]` belongs to `transactions[i]`, Bor's additions are apart. */
export interface VerifiedBlock {
  readonly block: RawBlock;
  readonly transactions: readonly RawTransaction[];
  readonly receipts: readonly RawReceipt[];
  /** Polygon's state-sync receipt, which no root covers. */
  readonly stateSync?: RawReceipt;
}

/** Encodings of transactions whose type has no known one here, by hash, as the node gives them raw. */
export type RawEncodings = ReadonlyMap<string, Uint8Array>;

/**
 * Proves that what a node returned is the whole block `ref`: its hash, every transaction, every receipt with every log
 * (architecture.md, invariant 6; docs/adr/0003-evm-completeness.md).
 * @throws IncompleteBlockError saying what was expected and what came
 */
export function verifyBlock(
  ref: BlockRef,
  block: RawBlock,
  receipts: readonly RawReceipt[],
  ofNetwork: EvmTraits,
  encodings: RawEncodings = new Map(),
): VerifiedBlock {
  const traits = traitsAt(ofNetwork, ref.number);
  verifyOwnFields(ref, block, traits);
  const stateSync = traits.stack === 'bor' ? findStateSync(receipts, block) : undefined;
  const transactions =
    stateSync === undefined ? block.transactions : block.transactions.filter((tx) => tx.hash !== stateSync.transactionHash);
  const own = stateSync === undefined ? receipts : receipts.filter((receipt) => receipt !== stateSync);
  try {
    verifyTransactions(block, transactions, traits, encodings);
    verifyReceiptLinks(block, transactions, own, traits);
    verifyReceipts(block, transactions, own, traits);
    verifyWithdrawals(block, traits);
  } catch (error) {
    if (!(error instanceof InvalidHexError)) throw error;
    throw new IncompleteBlockError(`block ${block.hash}: ${error.message}`, { cause: error });
  }
  return { block, transactions, receipts: own, stateSync };
}

/** The part of `verifyBlock` that is about the block itself. @throws IncompleteBlockError */
export function verifyOwnFields(ref: BlockRef, block: RawBlock, traits: EvmTraits): void {
  expectEqual('hash', ref.hash, block.hash);
  expectEqual('number', ref.number, Number(block.number));
  verifyHeader(block, traits);
}

function verifyTransactions(
  block: RawBlock,
  transactions: readonly RawTransaction[],
  traits: EvmTraits,
  encodings: RawEncodings,
): void {
  let isUnknown = false;
  const root = orderedTrieRoot(transactions.length, writer, (index) => {
    const tx = transactions[index];
    if (tx === undefined) return;
    const mark = writer.size;
    if (!encodeTransaction(writer, tx)) {
      const encoding = encodings.get(tx.hash);
      isUnknown ||= encoding === undefined;
      writer.bytes(encoding ?? new Uint8Array(1));
      if (encoding === undefined) return;
    }
    const hash = keccak256(writer.view(writer.size - mark));
    // Arbitrum's classic transactions keep a hash of an older encoding; the common types never do.
    if (!spells(tx.hash, hash) && (traits.roots === 'strict' || typeOf(tx) <= 4)) {
      fail(block, `hash of transaction ${index}`, tx.hash, `0x${Buffer.from(hash).toString('hex')}`);
    }
  });
  if (isUnknown || traits.roots === 'tolerant') return;
  if (`0x${root}` !== block.transactionsRoot) {
    fail(block, 'transactionsRoot', block.transactionsRoot, `0x${root} from ${transactions.length} transactions`);
  }
}

function verifyReceipts(
  block: RawBlock,
  transactions: readonly RawTransaction[],
  receipts: readonly RawReceipt[],
  traits: EvmTraits,
): void {
  const root = orderedTrieRoot(receipts.length, writer, (index) => {
    const receipt = receipts[index];
    const tx = transactions[index];
    if (receipt !== undefined && tx !== undefined) encodeReceipt(writer, receipt, typeOf(tx));
  });
  if (`0x${root}` === block.receiptsRoot) return;
  const got = `0x${root} from ${receipts.length} receipts`;
  if (traits.roots === 'strict') fail(block, 'receiptsRoot', block.receiptsRoot, got);
  verifyBlooms(block, receipts);
}

/** Weaker than the root, so both are compared: a log whose bits others set too shows in its own receipt's bloom only. */
function verifyBlooms(block: RawBlock, receipts: readonly RawReceipt[]): void {
  for (const receipt of receipts) {
    if (typeof receipt.logsBloom !== 'string' || receipt.logsBloom.length <= 2) continue;
    const own = computeLogsBloom([receipt]);
    if (own !== receipt.logsBloom) fail(block, `logsBloom of receipt ${Number(receipt.transactionIndex)}`, receipt.logsBloom, own);
  }
  const bloom = computeLogsBloom(receipts);
  if (bloom !== block.logsBloom) fail(block, 'logsBloom', block.logsBloom, bloom);
}

/** The part of `verifyBlock` that is about withdrawals. @throws IncompleteBlockError, InvalidHexError */
export function verifyWithdrawals(block: RawBlock, traits: EvmTraits): void {
  // On the OP stack the field holds a storage root of the bridge (Isthmus), on Avalanche it does not exist.
  if (typeof block.withdrawalsRoot !== 'string' || traits.stack !== 'ethereum') return;
  const withdrawals = block.withdrawals ?? [];
  const root = orderedTrieRoot(withdrawals.length, writer, (index) => {
    const withdrawal = withdrawals[index];
    const mark = writer.size;
    writer.quantity(withdrawal?.amount);
    writer.data(withdrawal?.address);
    writer.quantity(withdrawal?.validatorIndex);
    writer.quantity(withdrawal?.index);
    writer.list(mark);
  });
  if (`0x${root}` !== block.withdrawalsRoot) {
    fail(block, 'withdrawalsRoot', block.withdrawalsRoot, `0x${root} from ${withdrawals.length} withdrawals`);
  }
}

function expectEqual(what: string, expected: string | number, got: string | number): void {
  if (expected !== got) throw new IncompleteBlockError(`block ${what}: expected ${expected}, got ${got}`);
}

function fail(block: RawBlock, what: string, expected: string, got: string): never {
  throw new IncompleteBlockError(`${what} of block ${Number(block.number)} ${block.hash}: expected ${expected}, got ${got}`);
}
