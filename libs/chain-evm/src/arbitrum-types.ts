// SPDX-License-Identifier: Apache-2.0
// cspell:ignore arbos
import type { Hex } from 'viem';
import { data, quantity } from './encode-rlp.ts';
import type { RawTransaction } from './raw-block.ts';
import { typed, type TypeRules } from './type-rules.ts';

/**
 * Arbitrum Nitro (its go-ethereum, core/types/arb_types.go; what they do to balances: nitro, arbos/tx_processor.go).
 *
 * A submission mints the deposit for its sender, who pays for the ticket and for the gas of the redemption, and holds the
 * ticket's value ready; what is too much goes to `refundTo`. The redemption mints the gas that was paid for its sender and
 * burns what is left of it, then pays the same to `refundTo`, or to its sender where the deposit does not cover it. A
 * redemption by hand is paid by whoever called for it, who is its `refundTo`. No log and no field tells these amounts.
 */
export const ARBITRUM_TYPES: Readonly<Record<number, TypeRules>> = {
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
