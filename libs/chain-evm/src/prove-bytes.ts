import type { BlockRef, BodyBytes } from '@chainwatch/chain-core';
import { ChainError } from '@chainwatch/chain-core';
import { scanBlock, type Foreign } from '@chainwatch/evm-prover';
import { SPRINT_LENGTH } from './bor-state-sync.ts';
import { computeCreatedContract } from './created-contract.ts';
import { decodeBalanceChanges } from './decode-block.ts';
import { toTouchedAssets } from './decode-logs.ts';
import { encodeReceipt } from './encode-receipt.ts';
import { InvalidHexError } from './encode-rlp.ts';
import { encodeTransaction, typeOf } from './encode-transaction.ts';
import { ETHER_LOG_ADDRESS } from './ether-logs.ts';
import { traitsAt } from './evm-traits.ts';
import { expectTransaction, parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { ProvedBlock } from './proved-block.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import type { Session } from './session.ts';
import { hasWithdrawalsRoot, verifyOwnFields } from './verify-block.ts';

/** Type of the OP stack's deposits, whose receipts have fields of their own. */
const DEPOSIT_TYPE = 0x7e;

/** Whether blocks of this endpoint may be proved from bytes: only where every root must match. */
export function canProveBytes(
  { traits, capabilities }: Pick<Session, 'traits' | 'capabilities'>,
  ref: BlockRef,
): boolean {
  if (capabilities.receipts === 'single' || traitsAt(traits, ref.number).roots !== 'strict') return false;
  return traits.stack !== 'bor' || ref.number % SPRINT_LENGTH !== 0;
}

/**
 * The block of two JSON-RPC answers, or of one list of both that is given twice, proved as `verifyBlock` does
 * and decoded lazily.
 * @returns undefined where that proves nothing: `verifyBlock` then decides
 */
export function proveBytes(
  { network, traits }: Pick<Session, 'network' | 'traits'>,
  ref: BlockRef,
  body: BodyBytes,
  receipts: BodyBytes,
): ProvedBlock | undefined {
  const foreign: RawTransaction[] = [];
  try {
    const scanned = scanBlock(body, receipts, ref.hash, (index, transaction, receipt) => {
      const encoded = encodeForeign(index, transaction, receipt);
      if (encoded !== undefined) foreign.push(encoded.raw);
      return encoded;
    });
    // The account in a log of burned ether is one that the prover does not look for.
    if (scanned === undefined || scanned.touched.has(ETHER_LOG_ADDRESS)) return undefined;
    const block = parseRawBlock(JSON.parse(scanned.header));
    if (verifyOwnFields(ref, block, traits).length > 0) return undefined;
    if (block.transactionsRoot !== scanned.transactionsRoot || block.receiptsRoot !== scanned.receiptsRoot)
      return undefined;
    if (hasWithdrawalsRoot(block, traits) && block.withdrawalsRoot !== scanned.withdrawalsRoot)
      return undefined;
    return new ProvedBlock({
      network,
      block,
      balanceChanges: decodeBalanceChanges(network, block, foreign),
      touchedAssets: toTouchedAssets(network, scanned.touched),
      scanned,
      body,
      receipts,
    });
  } catch (error) {
    if (
      error instanceof ChainError ||
      error instanceof InvalidHexError ||
      error instanceof SyntaxError ||
      error instanceof TypeError
    )
      return undefined;
    throw error;
  }
}

/** Encodes a transaction that creates a contract, has an access list, blobs or authorizations, or belongs to a roll-up. */
function encodeForeign(
  index: number,
  transaction: string,
  receiptText: string,
): (Foreign & { readonly raw: RawTransaction }) | undefined {
  const raw: unknown = JSON.parse(transaction);
  expectTransaction(raw, index);
  const encoding = encodeTransaction(raw);
  if (encoding === undefined) return undefined;
  const isCreation = raw.to === null || raw.to === undefined;
  if (!isCreation && typeOf(raw) !== DEPOSIT_TYPE) return { raw, transaction: encoding };
  const [receipt] = parseRawReceipts([JSON.parse(receiptText)]);
  if (receipt === undefined || (isCreation && !namesCreated(raw, receipt))) return undefined;
  return {
    raw,
    transaction: encoding,
    ...(typeOf(raw) === DEPOSIT_TYPE && { receipt: encodeReceipt(receipt, DEPOSIT_TYPE) }),
  };
}

/** Whether the receipt names the contract that the transaction created; the prover looks for no other address there. */
function namesCreated(tx: RawTransaction, receipt: RawReceipt): boolean {
  const created = computeCreatedContract(tx, receipt);
  return (
    created === undefined ||
    receipt.contractAddress === created ||
    (typeof receipt.contractAddress !== 'string' && receipt.status === '0x0')
  );
}
