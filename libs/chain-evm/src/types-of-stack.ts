// SPDX-License-Identifier: Apache-2.0
import { data, quantity, encodeRlp, type RlpItem } from './encode-rlp.ts';
import type { EvmTraits } from './networks.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import { feeMarketFields, type Fields } from './signed-fields.ts';
import type { Hex } from 'viem';

// cspell:ignore arbos
/**
 * Arbitrum Nitro (its go-ethereum, core/types/arb_types.go; what they do to balances: nitro, arbos/tx_processor.go).
 *
 * A submission mints the deposit for its sender, who pays for the ticket and for the gas of the redemption, and holds the
 * ticket's value ready; what is too much goes to `refundTo`. The redemption mints the gas that was paid for its sender and
 * burns what is left of it, then pays the same to `refundTo`, or to its sender where the deposit does not cover it. A
 * redemption by hand is paid by whoever called for it, who is its `refundTo`. No log and no field tells these amounts.
 */
const ARBITRUM_TYPES: Readonly<Record<number, TypeRules>> = {
  // Deposit of ether from L1,
  0x64: {
    encode: typed(0x64, (tx) => [
      quantity(tx.chainId),
      data(tx.requestId),
      data(tx.from),
      data(tx.to),
      quantity(tx.value),
    ]),
    isFree: true,
    minted: (tx) => tx.value,
  },
  // unsigned, from an L1 account,
  0x65: {
    encode: typed(0x65, (tx) => [quantity(tx.chainId), data(tx.from), quantity(tx.nonce), ...pricedCall(tx)]),
    nonce: (tx) => tx.nonce,
  },
  // from an L1 contract,
  0x66: {
    encode: typed(0x66, (tx) => [quantity(tx.chainId), data(tx.requestId), data(tx.from), ...pricedCall(tx)]),
  },
  // redemption of a retryable ticket, its gas paid before,
  0x68: {
    encode: typed(0x68, (tx) => [
      quantity(tx.chainId),
      quantity(tx.nonce),
      data(tx.from),
      ...pricedCall(tx),
      data(tx.ticketId),
      data(tx.refundTo),
      quantity(tx.maxRefund),
      quantity(tx.submissionFeeRefund),
    ]),
    isFree: true,
    changed: (tx) => [tx.from, tx.refundTo],
  },
  // submission of one,
  0x69: {
    encode: typed(0x69, (tx) => [
      quantity(tx.chainId),
      data(tx.requestId),
      data(tx.from),
      quantity(tx.l1BaseFee),
      quantity(tx.depositValue),
      priceOf(tx),
      quantity(tx.gas),
      data(tx.retryTo),
      quantity(tx.retryValue),
      data(tx.beneficiary),
      quantity(tx.maxSubmissionFee),
      data(tx.refundTo),
      data(tx.retryData),
    ]),
    minted: (tx) => tx.depositValue,
    changed: (tx) => [tx.from, tx.refundTo],
  },
  // internal, start of block.
  0x6a: {
    encode: typed(0x6a, (tx) => [quantity(tx.chainId), data(tx.input)]),
    isSystem: () => true,
  },
};

function pricedCall(tx: RawTransaction): readonly Hex[] {
  return [priceOf(tx), quantity(tx.gas), data(tx.to), quantity(tx.value), data(tx.input)];
}

function priceOf(tx: RawTransaction): Hex {
  return quantity(tx.maxFeePerGas ?? tx.gasPrice);
}

export type Stack = EvmTraits['stack'];

/** The sender of the OP stack's attributes deposit in each block; it is nobody's account. */
const OPTIMISM_DEPOSITOR = '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001';

/** Deposit from L1 (OP stack specification, "Deposits": the deposited transaction type). */
const deposit: TypeRules = {
  encode: typed(0x7e, (tx) => [
    data(tx.sourceHash),
    data(tx.from),
    data(tx.to),
    quantity(tx.mint),
    quantity(tx.value),
    quantity(tx.gas),
    tx.isSystemTx === true ? '0x01' : '0x',
    data(tx.input),
  ]),
  isSystem: (tx) => tx.from.toLowerCase() === OPTIMISM_DEPOSITOR,
  isFree: true,
  minted: (tx) => tx.mint,
  // The receipts root covers either both fields, from Canyon on, or neither.
  nonce: (_, receipt) => (isVersioned(receipt) ? receipt.depositNonce : undefined),
  receiptTail: (receipt) =>
    isVersioned(receipt) ? [quantity(receipt.depositNonce), quantity(receipt.depositReceiptVersion)] : [],
};

/**
 * The refunds that a block gives for what its transactions warmed for each other (OP stack specification, Lagoon, "Post-exec
 * transaction"): its input is the whole payload, and it has no other field.
 */
const postExec: TypeRules = {
  encode: ({ input }) => Buffer.from(`7d${data(input).slice(2)}`, 'hex'),
  isSystem: () => true,
};

/**
 * A transaction that pays its fee in a token (CIP-64): EIP-1559's fields and the token. What a block costs in this token is
 * part of the receipt's encoding.
 */
const celoFeeCurrency: TypeRules = {
  encode: null,
  signed: (tx) => [...feeMarketFields(tx), data(tx.feeCurrency)],
  nonce: (tx) => tx.nonce,
  receiptTail: (receipt, tx) => {
    const baseFee = findBaseFee(receipt, tx);
    return baseFee === undefined ? undefined : [quantity(`0x${baseFee.toString(16)}`)];
  },
};

/** A message from L1, in the order of its queue (Scroll's go-ethereum, core/types/l1_message_tx.go). It pays nothing here. */
const scrollMessage: TypeRules = {
  encode: typed(0x7e, (tx) => [
    quantity(tx.queueIndex),
    quantity(tx.gas),
    data(tx.to),
    quantity(tx.value),
    data(tx.input),
    data(tx.from),
  ]),
  isFree: true,
};

/** The call that pays the proposer's validator ("proof of liquidity", BRIP-0004), first of each block. It pays nothing. */
const proofOfLiquidity: TypeRules = {
  encode: typed(0x7e, (tx) => [
    quantity(tx.chainId),
    data(tx.from),
    data(tx.to),
    quantity(tx.nonce),
    quantity(tx.gas),
    quantity(tx.gasPrice),
    data(tx.input),
  ]),
  isSystem: () => true,
  isFree: true,
};

/**
 * Transaction types beyond Ethereum's own (0 to 4). A type byte belongs to a stack: 0x7d and 0x7e mean something else
 * elsewhere.
 */
const TYPES_OF_STACK: Readonly<Record<Stack, Readonly<Record<number, TypeRules>>>> = {
  ethereum: {},
  avalanche: {},
  optimism: { 0x7d: postExec, 0x7e: deposit },
  // It left the OP stack with Azul, before Lagoon. Of its own transactions (Everest) the JSON does not tell all.
  base: { 0x79: { encode: null }, 0x7e: deposit },
  celo: { 0x7b: celoFeeCurrency, 0x7d: postExec, 0x7e: deposit },
  arbitrum: ARBITRUM_TYPES,
  // State syncs since PIP-74: only the node creates them, and only their logs matter.
  bor: { 0x7f: { encode: null, isSystem: () => true } },
  scroll: { 0x7e: scrollMessage },
  berachain: { 0x7e: proofOfLiquidity },
  hyperevm: {},
};

export const STACKS = Object.keys(TYPES_OF_STACK) as readonly Stack[];

/** The rules of a type that is not Ethereum's own; undefined where blocks of the stack hold none such. */
export function rulesOf(type: number, stack: Stack): TypeRules | undefined {
  return TYPES_OF_STACK[stack][type];
}

function isVersioned({ depositReceiptVersion }: RawReceipt): boolean {
  return typeof depositReceiptVersion === 'string';
}

/** Older nodes do not tell it, but it follows from the price that was paid, unless the transaction's cap is that price. */
export function findBaseFee(
  { baseFee, effectiveGasPrice }: RawReceipt,
  { maxFeePerGas, maxPriorityFeePerGas }: RawTransaction,
): bigint | undefined {
  if (typeof baseFee === 'string') return BigInt(baseFee);
  if (typeof effectiveGasPrice !== 'string' || BigInt(effectiveGasPrice) >= BigInt(maxFeePerGas ?? 0))
    return undefined;
  const left = BigInt(effectiveGasPrice) - BigInt(maxPriorityFeePerGas ?? 0);
  return left < 0n ? undefined : left;
}

type Encode = (tx: RawTransaction) => Uint8Array;

/** What a stack's own transaction type means, beyond Ethereum's types 0 to 4. */
interface TypeRules {
  /** Null: only the node knows the encoding. Of a type that is signed, `signed` alone. */
  readonly encode: Encode | null;
  /** The fields that its sender signs; absent where nobody signs it. */
  readonly signed?: Fields;
  /** Whether the chain itself sends it, from no account. Absent: never. */
  readonly isSystem?: (tx: RawTransaction) => boolean;
  /** Nothing is paid for it on this chain, or another transaction paid for it. */
  readonly isFree?: true;
  /** What it mints for its sender. */
  readonly minted?: (tx: RawTransaction) => string | null | undefined;
  /** Whose balance of the native coin it changes by amounts that the chain does not tell, failed or not. */
  readonly changed?: (tx: RawTransaction) => readonly (string | null | undefined)[];
  /** Its sender's nonce, where a root proves it. */
  readonly nonce?: (tx: RawTransaction, receipt: RawReceipt) => string | null | undefined;
  /** What its receipt's encoding has after the logs; undefined where the node does not tell it. */
  readonly receiptTail?: (receipt: RawReceipt, tx: RawTransaction) => readonly RlpItem[] | undefined;
}

/** A list of fields behind its type (EIP-2718). */
function typed(type: number, fieldsOf: Fields): Encode {
  return (tx) => encodeRlp(fieldsOf(tx), type);
}
