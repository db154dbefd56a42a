import type { Hex } from 'viem';
import { data, encodeRlp, type RlpItem, quantity } from './encode-rlp.ts';
import type { EvmTraits } from './networks.ts';
import type { RawTransaction } from './raw-block.ts';

export type Stack = EvmTraits['stack'];

type Encode = (tx: RawTransaction) => Uint8Array;

/** Deposit from L1 (OP stack specification, "Deposits": the deposited transaction type). */
const deposit = typed(0x7e, (tx) => [
  data(tx.sourceHash),
  data(tx.from),
  data(tx.to),
  quantity(tx.mint),
  quantity(tx.value),
  quantity(tx.gas),
  tx.isSystemTx === true ? '0x01' : '0x',
  data(tx.input),
]);

/**
 * The refunds that a block gives for what its transactions warmed for each other (OP stack specification, Lagoon, "Post-exec
 * transaction"): its input is the whole payload, and it has no other field.
 */
const postExec: Encode = ({ input }) => Buffer.from(`7d${data(input).slice(2)}`, 'hex');

// Arbitrum Nitro (its go-ethereum, core/types/arb_types.go).
const arbitrum: Readonly<Record<number, Encode>> = {
  // Deposit of ether from L1,
  0x64: typed(0x64, (tx) => [
    quantity(tx.chainId),
    data(tx.requestId),
    data(tx.from),
    data(tx.to),
    quantity(tx.value),
  ]),
  // unsigned, from an L1 account,
  0x65: typed(0x65, (tx) => [quantity(tx.chainId), data(tx.from), quantity(tx.nonce), ...pricedCall(tx)]),
  // from an L1 contract,
  0x66: typed(0x66, (tx) => [quantity(tx.chainId), data(tx.requestId), data(tx.from), ...pricedCall(tx)]),
  // redemption of a retryable ticket,
  0x68: typed(0x68, (tx) => [
    quantity(tx.chainId),
    quantity(tx.nonce),
    data(tx.from),
    ...pricedCall(tx),
    data(tx.ticketId),
    data(tx.refundTo),
    quantity(tx.maxRefund),
    quantity(tx.submissionFeeRefund),
  ]),
  // submission of one,
  0x69: typed(0x69, (tx) => [
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
  // internal, start of block.
  0x6a: typed(0x6a, (tx) => [quantity(tx.chainId), data(tx.input)]),
};

/**
 * Transaction types beyond Ethereum's own (0 to 4), with their encodings. A type byte belongs to a stack: 0x7d and 0x7e mean
 * something else elsewhere. Null: only the node knows the encoding.
 */
export const TYPES_OF_STACK: Readonly<Record<Stack, Readonly<Record<number, Encode | null>>>> = {
  ethereum: {},
  avalanche: {},
  optimism: { 0x7d: postExec, 0x7e: deposit },
  // It left the OP stack with Azul, before Lagoon. Of its own transactions (Everest) the JSON does not tell all.
  base: { 0x79: null, 0x7e: deposit },
  arbitrum,
  // State syncs since PIP-74: only the node creates them, and only their logs matter.
  bor: { 0x7f: null },
};

function typed(type: number, fieldsOf: (tx: RawTransaction) => readonly RlpItem[]): Encode {
  return (tx) => encodeRlp(fieldsOf(tx), type);
}

function pricedCall(tx: RawTransaction): readonly Hex[] {
  return [priceOf(tx), quantity(tx.gas), data(tx.to), quantity(tx.value), data(tx.input)];
}

function priceOf(tx: RawTransaction): Hex {
  return quantity(tx.maxFeePerGas ?? tx.gasPrice);
}
