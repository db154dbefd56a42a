import type { Fee, Network, Transaction, Transfer } from '@chainwatch/chain-core';
import { decodeEtherLogs, decodeLogs, mergeMoves } from './decode-logs.ts';
import { computeCreatedContract, typeOf } from './encode-transaction.ts';
import { readTraits, traitsAt } from './networks.ts';
import { readSignature } from './prove-senders.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import type { InternalTransfer, TransactionTrace } from './read-traces.ts';

/** The sender of the OP stack's attributes deposit in each block; it is nobody's account. */
const OPTIMISM_DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';

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
  /** Of the block. */
  readonly baseFeePerGas: string | null | undefined;
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
    fee:
      from === undefined ? undefined : withDoubt(parts, decodeFee(network.native.gid, { tx, receipt, type })),
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
export function decodeUnknown(parts: TransactionParts): Transaction {
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
    verification: 'unproved',
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

/** Marks a fee that is not what the block proves: it is the node's word, as no root covers it. */
function withDoubt(parts: TransactionParts, fee: Fee | undefined): Fee | undefined {
  return fee === undefined || isFeeProved(parts, fee) ? fee : { ...fee, isAttested: true };
}

/**
 * Whether a fee is the gas that was used at the price that bid and base fee come to (EIP-1559), both of which are proved.
 * Roll-ups and Avalanche charge by rules of their own: not looked at there.
 */
function isFeeProved({ network, tx, receipt, baseFeePerGas }: TransactionParts, { amountRaw }: Fee): boolean {
  const { stack } = readTraits(network);
  if (stack !== 'ethereum' && stack !== 'bor') return true;
  const [cap, tip] =
    typeOf(tx) <= 1 ? [tx.gasPrice, tx.gasPrice] : [tx.maxFeePerGas, tx.maxPriorityFeePerGas];
  if (typeof cap !== 'string' || typeof tip !== 'string') return false;
  const bid = BigInt(baseFeePerGas ?? 0) + BigInt(tip);
  const price = bid < BigInt(cap) ? bid : BigInt(cap);
  return amountRaw === price * BigInt(receipt.gasUsed);
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

export function decodeTransfers(
  { network, receipt, logIndex, trace }: Pick<TransactionParts, 'network' | 'receipt' | 'logIndex' | 'trace'>,
  own: OwnTransfer | undefined,
): Transfer[] {
  const transfers: Transfer[] = [];
  if (own !== undefined && own.amountRaw > 0n)
    transfers.push({ index: 0, type: 'native', assetGid: network.native.gid, ...own });
  decodeLogs(network, { logs: receipt.logs, logIndex, transfers });
  const logged = withoutOwn(decodeEtherLogs(network, receipt.logs), own);
  for (const [position, move] of mergeMoves(logged, trace?.transfers ?? []).entries()) {
    transfers.push({
      index: transfers.length,
      type: 'internal',
      assetGid: network.native.gid,
      ...move,
      // No root covers what a trace alone tells.
      ...(position >= logged.length && { isAttested: true }),
    });
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

function isSystem(tx: RawTransaction, type: number): boolean {
  if (type <= 4) return false;
  return (
    type === 0x6a ||
    type === 0x7d ||
    type === 0x7f ||
    (type === 0x7e && tx.from.toLowerCase() === OPTIMISM_DEPOSITOR)
  );
}
