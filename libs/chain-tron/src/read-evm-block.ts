// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  settleUnknowns,
  type Block,
  type BlockRef,
  type ReadBlockOptions,
  IncompleteBlockError,
  nativeOf,
  type BlockHeader,
  type Network,
  type Transaction,
  type Transfer,
} from '@chainwatch/chain-core';
import { findUnknownTypes, toEvmBlock, verifyEvmHeader, toHash, isKnownType } from './evm-block.ts';
import type { EvmBlock, EvmReceipt, EvmTransaction } from './evm-types.ts';
import { isMissingBlock, type EvmSession } from './read-evm-headers.ts';
import { readReceipts } from './read-receipts.ts';
import type { Capabilities } from './session.ts';
import type { VerifiedHeader } from './verify-header.ts';
import { decodeTransferLogs, TouchedContracts } from '@chainwatch/ethereum/abi';
import { toAddress } from './to-address.ts';
import { notationOf } from './token-gid.ts';
import { NotJsonError } from './tron-http.ts';
import { CONTRACT_TYPES, readContract } from './read-contract.ts';
import { parseHex } from './parse-hex.ts';
import { sha256 } from './sha256.ts';
import { isNotServed } from './wallet-api.ts';
import { parseWalletBlock } from './parse-wallet-block.ts';
import type { WalletBlock } from './wallet-block.ts';

/** A block by the Ethereum-compatible interface alone. */
export async function readEvmBlock(
  session: EvmSession,
  {
    ref,
    signal,
    options,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  const body = readBody(session, ref, signal);
  const [block, receipts] = await Promise.all([
    body,
    readReceipts(session, { ref, body: () => body, signal }),
  ]);
  const { header, unknowns } = verifyEvmBlock(ref, { block, receipts, capabilities: session.capabilities });
  const parts = {
    block,
    receipts,
    isUnproved: unknowns.length > 0,
    transfers: await findTransfers(session, { ref, block, signal }),
  };
  return settleUnknowns(
    decodeEvmBlock(session.network, header, parts),
    [...unknowns, ...findUnknownTypes(block)],
    options,
  );
}

async function readBody({ evm }: EvmSession, ref: BlockRef, signal?: AbortSignal): Promise<EvmBlock> {
  try {
    const result = await evm.call('eth_getBlockByHash', [`0x${ref.hash}`, true], signal);
    if (result !== null) return toEvmBlock(result);
  } catch (error) {
    if (!isMissingBlock(error)) throw error;
  }
  throw new BlockNotFoundError(`block ${ref.number} ${ref.hash} is not known to the node`);
}

/**
 * Proves as much of a block as the Ethereum-compatible interface allows: its id by its header, and that
 * transactions, receipts and logs are numbered without a gap and add up to the block's energy. The interface
 * does not show the bytes that the tree of transactions is made of; the wallet API does.
 * @throws IncompleteBlockError saying what was expected and what came
 */
export function verifyEvmBlock(
  ref: BlockRef,
  {
    block,
    receipts,
    capabilities,
  }: {
    readonly block: EvmBlock;
    readonly receipts: readonly EvmReceipt[];
    readonly capabilities: Capabilities;
  },
): VerifiedHeader {
  const { header, unknowns } = verifyEvmHeader(block, capabilities);
  const expect = (what: string, expected: string | number, got: string | number): void => {
    if (expected !== got)
      throw new IncompleteBlockError(
        `${what} of block ${ref.number} ${ref.hash}: expected ${expected}, got ${got}`,
      );
  };
  expect('hash', ref.hash, header.hash);
  expect('count of receipts', block.transactions.length, receipts.length);
  if (block.transactions.length === 0)
    expect('transactionsRoot without transactions', '0'.repeat(64), toHash(block.transactionsRoot));
  let energy = 0;
  let logIndex = 0;
  for (const [index, tx] of block.transactions.entries()) {
    const receipt = receipts[index]!;
    expect(`index of transaction ${tx.hash}`, index, Number(tx.transactionIndex));
    expect(`block of transaction ${tx.hash}`, block.hash, tx.blockHash);
    expect(`transaction of receipt ${index}`, tx.hash, receipt.transactionHash);
    expect(`block of receipt ${index}`, block.hash, receipt.blockHash);
    energy += Number(receipt.gasUsed);
    expect(`energy up to receipt ${index}`, energy, Number(receipt.cumulativeGasUsed));
    for (const log of receipt.logs) {
      if (log.logIndex !== undefined)
        expect(`index of a log of receipt ${index}`, logIndex, Number(log.logIndex));
      logIndex += 1;
    }
  }
  if (block.gasUsed !== undefined) expect('energy', energy, Number(block.gasUsed));
  return { header, unknowns };
}

/** The interface's answers about a block. */
interface EvmParts {
  readonly block: EvmBlock;
  readonly receipts: readonly EvmReceipt[];
  /** Hashes of the transactions that transfer TRX, where that is known. */
  readonly transfers?: ReadonlySet<string>;
  /** True when only the node's word stands for its id. */
  readonly isUnproved: boolean;
}

/**
 * Decodes a block of the Ethereum-compatible interface: transfers of TRX by value and TRC-20 by logs. It does
 * not show TRC-10, internal transactions, and fees (energy may be burned, staked or somebody else's), so
 * these are left out. No root of the header can be computed from what it shows: all of it is the node's word.
 */
export function decodeEvmBlock(
  network: Network,
  header: BlockHeader,
  { block, receipts, transfers, isUnproved }: EvmParts,
): Block {
  const touched = new TouchedContracts();
  let logIndex = 0;
  const transactions = block.transactions.map((tx, index): Transaction => {
    const receipt = receipts[index]!;
    touched.add(receipt.logs);
    const hasValue = transfers === undefined || !isDoubtful(tx) || transfers.has(tx.hash);
    const decoded = decodeTransaction({ network, tx, receipt, index, logIndex, hasValue });
    logIndex += receipt.logs.length;
    return { ...decoded, verification: isUnproved || !isKnownType(tx) ? 'unproved' : 'attested' };
  });
  return {
    ...header,
    transactions,
    balanceChanges: [],
    ...touched.list(notationOf(network)),
    verification: 'attested',
    leavesOut: 'all_but_logs',
  };
}

interface TransactionParts {
  readonly network: Network;
  readonly tx: EvmTransaction;
  readonly receipt: EvmReceipt;
  readonly index: number;
  /** Index in the block of the transaction's first log. */
  readonly logIndex: number;
  /** True when its value is TRX. */
  readonly hasValue: boolean;
}

function decodeTransaction({
  network,
  tx,
  receipt,
  index,
  logIndex,
  hasValue,
}: TransactionParts): Transaction {
  const isFailed = receipt.status === '0x0';
  const from = findAccount(tx.from);
  const createdContract = isFailed ? undefined : findAccount(receipt.contractAddress);
  const to = findAccount(tx.to);
  const transfers: Transfer[] = [];
  if (!isFailed) {
    const amountRaw = BigInt(tx.value ?? '0x0');
    const receiver = to ?? createdContract;
    // Transactions of kinds without a receiver show deposits and costs as their value.
    if (hasValue && amountRaw > 0n && receiver !== undefined)
      transfers.push({
        index: 0,
        type: 'native',
        assetGid: nativeOf(network).gid,
        from,
        to: receiver,
        amountRaw,
      });
    decodeTransferLogs(notationOf(network), { logs: receipt.logs, logIndex, transfers });
  }
  return { hash: toHash(tx.hash), index, isFailed, from, to, createdContract, transfers };
}

/** The interface shows no account as null or `0x`. */
function findAccount(address: string | null | undefined): string | undefined {
  return typeof address === 'string' && /^0x[0-9a-f]{40}$/.test(address)
    ? toAddress(address.slice(2))
    : undefined;
}

/**
 * Whether the value of a transaction may be something other than TRX: the Ethereum-compatible interface shows
 * amounts of TRC-10, votes and stakes in the same member. A call of a contract uses energy, and its value is
 * TRX.
 */
function isDoubtful({ to, value, gas }: EvmTransaction): boolean {
  return typeof to === 'string' && Number(gas ?? '0x0') === 0 && Number(value ?? '0x0') > 0;
}

/**
 * Hashes of the transactions of a block that transfer TRX, from the wallet API at the same origin; undefined
 * where nothing is doubtful, or where there is no wallet API to ask.
 */
async function findTransfers(
  session: EvmSession,
  { ref, block, signal }: { readonly ref: BlockRef; readonly block: EvmBlock; readonly signal?: AbortSignal },
): Promise<ReadonlySet<string> | undefined> {
  const { beside, capabilities } = session;
  if (beside === undefined || !capabilities.hasWalletBeside || !block.transactions.some(isDoubtful))
    return undefined;
  try {
    const shown = parseWalletBlock(
      'getblockbyid',
      await beside.call('wallet/getblockbyid', { value: ref.hash }, signal),
    );
    if (shown === undefined)
      throw new IncompleteBlockError(
        `block ${ref.number} ${ref.hash}: expected it by the wallet API, too, got none`,
      );
    return listTransfers(shown);
  } catch (error) {
    // Forbidden does not mean absent: an API key may be out of calls.
    const isAbsent = (isNotServed(error) && error.nodeCode !== 403) || error instanceof NotJsonError;
    if (!isAbsent) throw error;
    capabilities.hasWalletBeside = false;
    return undefined;
  }
}

function listTransfers({ transactions = [] }: WalletBlock): ReadonlySet<string> {
  const hashes = transactions.flatMap(({ raw_data_hex: hex }) => {
    const rawData = parseHex('raw_data_hex', hex);
    return readContract(rawData).type === CONTRACT_TYPES.transfer
      ? [`0x${sha256(rawData).toString('hex')}`]
      : [];
  });
  return new Set(hashes);
}
