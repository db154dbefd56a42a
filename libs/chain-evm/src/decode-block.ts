import type { BalanceChange, Block, Fee, Network, Transaction, Transfer } from '@chainwatch/chain-core';
import { decodeEtherLogs, decodeLogs, findTouchedAssets, mergeMoves } from './decode-logs.ts';
import { computeCreatedContract, typeOf } from './encode-transaction.ts';
import { readTraits, traitsAt } from './networks.ts';
import { readSignature } from './prove-senders.ts';
import type { RawBlock, RawReceipt, RawTransaction } from './raw-block.ts';
import type { InternalTransfer, TransactionTrace } from './read-traces.ts';
import type { VerifiedBlock } from './verify-block.ts';

const GWEI = 1_000_000_000n;
/** The sender of the OP stack's attributes deposit in each block; it is nobody's account. */
const OPTIMISM_DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';

/**
 * Decodes a proved block. `traces[i]` belongs to transaction `i`; without traces only logged internal
 * transfers are known.
 */
export function decodeBlock(
  network: Network,
  verified: VerifiedBlock,
  traces?: readonly TransactionTrace[],
): Block {
  const { block, transactions, receipts, stateSync, unknown } = verified;
  const number = Number(block.number);
  const decoded: Transaction[] = [];
  let logIndex = 0;
  for (let index = 0; index < transactions.length; index++) {
    const tx = transactions[index];
    const receipt = receipts[index];
    if (tx === undefined || receipt === undefined) continue;
    const parts = { network, number, tx, receipt, index, logIndex, trace: traces?.[index] };
    if (unknown === undefined) decoded.push(decodeTransaction(parts));
    else if (unknown.transactions.has(tx.hash)) decoded.push(decodeUnknown(parts));
    else decoded.push({ ...decodeTransaction(parts), ...(unknown.isEverything && { isUnproved: true }) });
    logIndex += receipt.logs.length;
  }
  if (stateSync !== undefined)
    decoded.push(decodeStateSync(network, { receipt: stateSync, index: transactions.length, logIndex }));
  return {
    number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: Number(block.timestamp),
    transactions: decoded,
    balanceChanges: decodeBalanceChanges(
      network,
      block,
      unknown === undefined
        ? transactions
        : transactions.filter(({ hash }) => !unknown.transactions.has(hash)),
    ),
    touchedAssets: findTouchedAssets(network, stateSync === undefined ? receipts : [...receipts, stateSync]),
  };
}

export interface TransactionParts {
  readonly network: Network;
  /** Of the block. */
  readonly number: number;
  readonly tx: RawTransaction;
  readonly receipt: RawReceipt;
  readonly index: number;
  /** Index in the block of the transaction's first log. */
  readonly logIndex: number;
  readonly trace?: TransactionTrace;
}

/** One transaction of a proved block. */
export function decodeTransaction(parts: TransactionParts): Transaction {
  const { network, tx, receipt, index, trace } = parts;
  const type = typeOf(tx);
  const from = isSystem(tx, type) ? undefined : tx.from.toLowerCase();
  // Before Byzantium receipts carry no status; the trace knows.
  const isFailed =
    typeof receipt.status === 'string' ? Number(receipt.status) === 0 : trace?.isFailed === true;
  const isCreation = tx.to === null || tx.to === undefined;
  const signature = readSignature(tx, traitsAt(readTraits(network), parts.number));
  const createdContract = isCreation && !isFailed ? computeCreatedContract(tx, receipt) : undefined;
  return {
    hash: tx.hash,
    index,
    isFailed,
    from,
    to: isCreation ? undefined : tx.to.toLowerCase(),
    createdContract,
    fee: from === undefined ? undefined : decodeFee(network.native.gid, { tx, receipt, type }),
    signature,
    transfers: isFailed
      ? []
      : decodeTransfers(parts, {
          from: tx.from.toLowerCase(),
          to: tx.to?.toLowerCase() ?? createdContract,
          amountRaw: BigInt(tx.value),
        }),
  };
}

/**
 * Decodes a transaction of an unknown type, as far as its fields mean the same in every type. That leaves out
 * who pays its fee. What its logs tell is proved if the block is; nothing proves the rest.
 */
function decodeUnknown(parts: TransactionParts): Transaction {
  const { receipt, index, trace } = parts;
  const { hash, from, to, value }: Partial<RawTransaction> = parts.tx;
  const isFailed =
    typeof receipt.status === 'string' ? Number(receipt.status) === 0 : trace?.isFailed === true;
  const own =
    typeof from === 'string' && typeof to === 'string' && typeof value === 'string'
      ? { from, to, amountRaw: BigInt(value) }
      : undefined;
  return {
    hash: hash ?? receipt.transactionHash,
    index,
    isFailed,
    ...(typeof from === 'string' && { from }),
    ...(typeof to === 'string' && { to }),
    transfers: isFailed ? [] : decodeTransfers(parts, own),
    isUnproved: true,
  };
}

/**
 * What the sender paid for a transaction: gas, blob gas (EIP-4844) and a roll-up's own fees. Undefined where nothing was
 * paid on this chain (deposits from L1).
 */
export function decodeFee(
  assetGid: string,
  { tx, receipt, type }: { readonly tx: RawTransaction; readonly receipt: RawReceipt; readonly type: number },
): Fee | undefined {
  if (type === 0x7e || type === 0x64) return undefined;
  const gasPrice = receipt.effectiveGasPrice ?? tx.gasPrice;
  let amountRaw = typeof gasPrice === 'string' ? BigInt(gasPrice) * BigInt(receipt.gasUsed) : 0n;
  if (typeof receipt.blobGasUsed === 'string' && typeof receipt.blobGasPrice === 'string' && type === 3) {
    amountRaw += BigInt(receipt.blobGasUsed) * BigInt(receipt.blobGasPrice);
  }
  if (typeof receipt.l1Fee === 'string') amountRaw += BigInt(receipt.l1Fee);
  if (typeof receipt.operatorFeeScalar === 'string') amountRaw += operatorFee(receipt);
  return { assetGid, amountRaw, payer: tx.from.toLowerCase() };
}

/** OP stack from Isthmus on; Jovian (told by the data-availability field) multiplies by 100 instead of dividing by 1e6. */
function operatorFee(receipt: RawReceipt): bigint {
  const scaled = BigInt(receipt.gasUsed) * BigInt(receipt.operatorFeeScalar ?? 0);
  const isJovian = typeof receipt.daFootprintGasScalar === 'string';
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + BigInt(receipt.operatorFeeConstant ?? 0);
}

/** The payment by the transaction itself, without internal transfers. */
interface OwnTransfer {
  readonly from: string;
  readonly to?: string;
  readonly amountRaw: bigint;
}

function decodeTransfers(
  { network, receipt, logIndex, trace }: Pick<TransactionParts, 'network' | 'receipt' | 'logIndex' | 'trace'>,
  own: OwnTransfer | undefined,
): Transfer[] {
  const transfers: Transfer[] = [];
  if (own !== undefined && own.amountRaw > 0n)
    transfers.push({ index: 0, type: 'native', assetGid: network.native.gid, ...own });
  decodeLogs(network, { logs: receipt.logs, logIndex, transfers });
  const logged = withoutOwn(decodeEtherLogs(network, receipt.logs), own);
  for (const move of mergeMoves(logged, trace?.transfers ?? [])) {
    transfers.push({ index: transfers.length, type: 'internal', assetGid: network.native.gid, ...move });
  }
  return transfers;
}

/** Removes the transaction's own payment, which is logged like any other (EIP-7708). */
function withoutOwn(
  moves: readonly InternalTransfer[],
  own: OwnTransfer | undefined,
): readonly InternalTransfer[] {
  const at = moves.findIndex(
    ({ from, to, amountRaw }) => from === own?.from && to === own.to && amountRaw === own.amountRaw,
  );
  return at < 0 ? moves : moves.toSpliced(at, 1);
}

function decodeStateSync(
  network: Network,
  {
    receipt,
    index,
    logIndex,
  }: { readonly receipt: RawReceipt; readonly index: number; readonly logIndex: number },
): Transaction {
  const transfers = decodeTransfers({ network, receipt, logIndex }, undefined);
  return { hash: receipt.transactionHash, index, isFailed: false, transfers };
}

/**
 * Balance changes outside of transactions, or without a transfer that shows them.
 *
 * @param transactions all, or those of other types than Ethereum's own
 */
export function decodeBalanceChanges(
  network: Network,
  block: RawBlock,
  transactions: readonly RawTransaction[],
): BalanceChange[] {
  const assetGid = network.native.gid;
  const changes: BalanceChange[] = [{ address: block.miner.toLowerCase(), assetGid, reason: 'reward' }];
  if (readTraits(network).withdrawalsAreNative) {
    for (const { address, amount } of block.withdrawals ?? []) {
      changes.push({
        address: address.toLowerCase(),
        assetGid,
        amountRaw: BigInt(amount) * GWEI,
        reason: 'withdrawal',
      });
    }
  }
  for (const tx of transactions) {
    const type = typeOf(tx);
    const minted =
      type === 0x7e ? tx.mint : type === 0x64 ? tx.value : type === 0x69 ? tx.depositValue : undefined;
    if (typeof minted !== 'string' || BigInt(minted) === 0n) continue;
    changes.push({ address: tx.from.toLowerCase(), assetGid, amountRaw: BigInt(minted), reason: 'other' });
  }
  return changes;
}

function isSystem(tx: RawTransaction, type: number): boolean {
  if (type <= 4) return false;
  return type === 0x6a || type === 0x7f || (type === 0x7e && tx.from.toLowerCase() === OPTIMISM_DEPOSITOR);
}
