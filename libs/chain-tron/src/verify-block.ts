import { IncompleteBlockError, type BlockHeader, type BlockRef } from '@chainwatch/chain-core';
import { encodeTransaction } from './encode-transaction.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { readContract, type Contract } from './read-contract.ts';
import { sha256 } from './sha256.ts';
import { verifyHeader } from './verify-header.ts';
import type { TransactionInfo, WalletBlock, WalletTransaction } from './wallet-block.ts';

/** One transaction whose bytes the header covers, and what the node says it did. */
export interface VerifiedTransaction {
  readonly hash: string;
  readonly contract: Contract;
  readonly isFailed: boolean;
  readonly info: TransactionInfo;
}

export interface VerifiedBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly VerifiedTransaction[];
}

/**
 * Proves that what a node returned is the whole block `ref`: its id, every transaction with its result by the tree of
 * transactions. No root covers what transactions did (logs, internal transactions, fees): there is one record for each,
 * of this block, and its outcome is the one in the block (docs/adr/0008-tron-blocks.md).
 * @throws IncompleteBlockError saying what was expected and what came
 */
export function verifyBlock(ref: BlockRef, block: WalletBlock, infos: readonly TransactionInfo[]): VerifiedBlock {
  const header = verifyHeader(block);
  if (header.hash !== ref.hash) throw new IncompleteBlockError(`block ${ref.number}: expected ${ref.hash}, got ${header.hash}`);
  try {
    const shown = block.transactions ?? [];
    const rawData = shown.map(readRawData);
    const root = computeMerkleRoot(shown.map((tx, index) => sha256(encodeTransaction(rawData[index]!, tx)))).toString('hex');
    const expected = block.block_header.raw_data.txTrieRoot ?? '';
    // The genesis block's transactions have no signatures and leave no records.
    if (header.number > 0 && root !== expected) throw new IncompleteBlockError(`expected txTrieRoot ${expected}, got ${root} from ${shown.length} transactions`);
    if (header.number === 0) return { header, transactions: [] };
    return { header, transactions: join(header, block, rawData, infos) };
  } catch (error) {
    if (!(error instanceof IncompleteBlockError)) throw error;
    throw new IncompleteBlockError(`block ${ref.number} ${ref.hash}: ${error.message}`, { cause: error });
  }
}

function readRawData(tx: WalletTransaction): Buffer {
  const rawData = Buffer.from(String(tx.raw_data_hex), 'hex');
  const hash = sha256(rawData).toString('hex');
  if (hash !== tx.txID) throw new IncompleteBlockError(`expected transaction ${String(tx.txID)}, got ${hash} from its bytes`);
  return rawData;
}

function join(header: BlockHeader, { transactions = [], block_header: { raw_data: raw } }: WalletBlock, rawData: readonly Buffer[], infos: readonly TransactionInfo[]): VerifiedTransaction[] {
  if (infos.length !== transactions.length) throw new IncompleteBlockError(`expected records of ${transactions.length} transactions, got ${infos.length}`);
  const byId = new Map(infos.map((info) => [info.id, info]));
  return transactions.map((tx, index) => {
    const info = byId.get(tx.txID);
    if (info === undefined) throw new IncompleteBlockError(`expected a record of transaction ${tx.txID}, got none`);
    if ((info.blockNumber ?? 0) !== header.number || info.blockTimeStamp !== raw.timestamp) {
      throw new IncompleteBlockError(`record of transaction ${tx.txID}: expected one of block ${header.number} at ${raw.timestamp}, got block ${info.blockNumber} at ${info.blockTimeStamp}`);
    }
    return { hash: tx.txID, contract: readContract(rawData[index]!), isFailed: readOutcome(tx, info), info };
  });
}

/** Whether a transaction failed: told by the block and, for contracts, by the record; both must say the same. */
function readOutcome(tx: WalletTransaction, { receipt, result }: TransactionInfo): boolean {
  const told = String(tx.ret?.[0]?.['contractRet'] ?? 'DEFAULT');
  const isFailed = told !== 'SUCCESS' && told !== 'DEFAULT';
  const recorded = receipt?.result;
  if (recorded !== undefined && recorded !== 'DEFAULT' && recorded !== told && told !== 'DEFAULT') throw new IncompleteBlockError(`record of transaction ${tx.txID}: expected ${told}, got ${recorded}`);
  if (isFailed !== (result === 'FAILED')) throw new IncompleteBlockError(`record of transaction ${tx.txID}: expected ${told}, got ${result ?? 'no failure'}`);
  return isFailed;
}
