// SPDX-License-Identifier: Apache-2.0
import {
  IncompleteBlockError,
  type BlockHeader,
  type BlockRef,
  type UnknownPart,
} from '@chainwatch/chain-core';
import { CONTRACT_RESULTS, findUnknownValue, RESULT_CODES } from './contract-results.ts';
import { encodeTransaction, findUnknownMembers } from './encode-transaction.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { parseHex } from './parse-hex.ts';
import { readContract, type Contract } from './read-contract.ts';
import { sha256 } from './sha256.ts';
import { verifyHeader } from './verify-header.ts';
import { verifyRecord } from './verify-record.ts';
import type { TransactionInfo, WalletBlock, WalletTransaction } from './wallet-block.ts';

/** One transaction whose bytes the header covers, and what the node says it did. */
export interface VerifiedTransaction {
  readonly hash: string;
  readonly contract: Contract;
  readonly isFailed: boolean;
  readonly info: TransactionInfo;
  /** True when it or its block holds something unknown, so that nothing more can be proved of it. */
  readonly isUnproved?: boolean;
}

export interface VerifiedBlock {
  readonly header: BlockHeader;
  readonly transactions: readonly VerifiedTransaction[];
  readonly unknowns: readonly UnknownPart[];
}

/**
 * Proves that what a node returned is the whole block `ref`: its id, every transaction with its result by the tree of
 * transactions. No root covers what transactions did (logs, internal transactions, fees): for these it checks
 * that there is one record of this block for each, whose outcome is the one in the block
 * (docs/adr/0008-tron-blocks.md). Where something unknown keeps the id or the root from matching, it is
 * reported, and every transaction is unproved.
 * @throws IncompleteBlockError saying what was expected and what came
 */
export function verifyBlock(
  ref: BlockRef,
  block: WalletBlock,
  infos: readonly TransactionInfo[],
): VerifiedBlock {
  const { header, unknowns } = verifyHeader(block);
  if (header.hash !== ref.hash)
    throw new IncompleteBlockError(`block ${ref.number}: expected ${ref.hash}, got ${header.hash}`);
  // The genesis block's transactions have no signatures and leave no records.
  if (header.number === 0) return { header, transactions: [], unknowns };
  try {
    const shown = block.transactions ?? [];
    const rawData = shown.map(readRawData);
    const unproved = [
      ...unknowns,
      ...verifyRoot(block.block_header.raw_data.txTrieRoot ?? '', shown, rawData),
    ];
    const joined = join(header, { block, rawData, infos });
    const transactions = joined.map(({ transaction, unknowns: own }) =>
      unproved.length + own.length > 0 ? { ...transaction, isUnproved: true } : transaction,
    );
    return { header, transactions, unknowns: [...unproved, ...joined.flatMap(({ unknowns: own }) => own)] };
  } catch (error) {
    if (!(error instanceof IncompleteBlockError)) throw error;
    throw new IncompleteBlockError(`block ${ref.number} ${ref.hash}: ${error.message}`, { cause: error });
  }
}

function readRawData(tx: WalletTransaction): Buffer {
  const rawData = parseHex('raw_data_hex', tx.raw_data_hex);
  const hash = sha256(rawData).toString('hex');
  if (hash !== tx.txID)
    throw new IncompleteBlockError(`expected transaction ${String(tx.txID)}, got ${hash} from its bytes`);
  return rawData;
}

/**
 * @returns the unknown parts where the root does not match, none where it does @throws IncompleteBlockError
 * where nothing is unknown
 */
function verifyRoot(
  expected: string,
  shown: readonly WalletTransaction[],
  rawData: readonly Buffer[],
): UnknownPart[] {
  const root = computeMerkleRoot(
    shown.map((tx, index) => sha256(encodeTransaction(rawData[index]!, tx))),
  ).toString('hex');
  if (root === expected) return [];
  const unknowns = shown.flatMap((tx) => [
    ...findUnknownMembers(tx),
    ...(tx.ret ?? []).flatMap((result) => [
      ...findUnknownResult(tx, { result, member: 'ret', names: RESULT_CODES }),
      ...findUnknownResult(tx, { result, member: 'contractRet', names: CONTRACT_RESULTS }),
    ]),
  ]);
  if (unknowns.length === 0)
    throw new IncompleteBlockError(
      `expected txTrieRoot ${expected}, got ${root} from ${shown.length} transactions`,
    );
  return unknowns;
}

interface Code {
  readonly result: Readonly<Record<string, unknown>>;
  readonly member: 'ret' | 'contractRet';
  readonly names: readonly string[];
}

/** A code in a result of a transaction, where it is not known here. */
function findUnknownResult({ txID }: WalletTransaction, { result, member, names }: Code): UnknownPart[] {
  const value = findUnknownValue(names, String(result[member] ?? names[0]));
  return value === undefined
    ? []
    : [
        {
          kind: `transaction-result:${value}`,
          transactionHash: txID,
          expected: `one of ${names.join(', ')}`,
          got: value,
        },
      ];
}

/**
 * How a transaction ended, where that is not known here. It stands in its first result alone: java-tron leaves the rest as the
 * sender sent it (`TransactionCapsule.setResultCode`).
 */
function findUnknownOutcome(tx: WalletTransaction): UnknownPart[] {
  const [result] = tx.ret ?? [];
  return result === undefined
    ? []
    : findUnknownResult(tx, { result, member: 'contractRet', names: CONTRACT_RESULTS });
}

interface Joined {
  readonly transaction: VerifiedTransaction;
  readonly unknowns: readonly UnknownPart[];
}

function join(
  header: BlockHeader,
  {
    block: {
      transactions = [],
      block_header: { raw_data: raw },
    },
    rawData,
    infos,
  }: {
    readonly block: WalletBlock;
    readonly rawData: readonly Buffer[];
    readonly infos: readonly TransactionInfo[];
  },
): Joined[] {
  if (infos.length !== transactions.length)
    throw new IncompleteBlockError(
      `expected records of ${transactions.length} transactions, got ${infos.length}`,
    );
  const byId = new Map(infos.map((info) => [info.id, info]));
  return transactions.map((tx, index) => {
    const info = byId.get(tx.txID);
    if (info === undefined)
      throw new IncompleteBlockError(`expected a record of transaction ${tx.txID}, got none`);
    if ((info.blockNumber ?? 0) !== header.number || info.blockTimeStamp !== raw.timestamp) {
      throw new IncompleteBlockError(
        `record of transaction ${tx.txID}: expected one of block ${header.number} at ${raw.timestamp}, got block ${info.blockNumber} at ${info.blockTimeStamp}`,
      );
    }
    const contract = readContract(rawData[index]!);
    const results = findUnknownOutcome(tx);
    const unknowns = [
      ...results,
      ...(contract.unknown === undefined ? [] : [{ ...contract.unknown, transactionHash: tx.txID }]),
      ...verifyRecord(tx.txID, info),
    ];
    const isFailed = results.length > 0 ? info.result === 'FAILED' : readOutcome(tx, info);
    return { transaction: { hash: tx.txID, contract, isFailed, info }, unknowns };
  });
}

/** Whether a transaction failed: told by the block and, for contracts, by the record; both must say the same. */
function readOutcome(tx: WalletTransaction, { receipt, result }: TransactionInfo): boolean {
  const told = String(tx.ret?.[0]?.['contractRet'] ?? 'DEFAULT');
  const isFailed = told !== 'SUCCESS' && told !== 'DEFAULT';
  const recorded = receipt?.result;
  if (recorded !== undefined && recorded !== 'DEFAULT' && recorded !== told && told !== 'DEFAULT')
    throw new IncompleteBlockError(`record of transaction ${tx.txID}: expected ${told}, got ${recorded}`);
  if (isFailed !== (result === 'FAILED'))
    throw new IncompleteBlockError(
      `record of transaction ${tx.txID}: expected ${told}, got ${result ?? 'no failure'}`,
    );
  return isFailed;
}
