// SPDX-License-Identifier: Apache-2.0
import { lacksEvidence, type Outpoint, type Transaction, type Transfer } from '@chainwatch/chain-core';
import type { AddressedOutput, KnownCoin } from '../model/coin.ts';

interface CoinContext {
  /** The chain's coin, CAIP-19. */
  readonly nativeGid: string;
  /** Spent ones, too. */
  readonly findCoin: (outpoint: Outpoint) => KnownCoin | undefined;
  /** Canonical address of a script on this network. */
  readonly findAddress: (matchKey: string) => string | undefined;
}

interface ResolvedTransaction {
  /** With its legs as transfers, and the fee where every input is known. */
  readonly transaction: Transaction;
  /** Known coins that it spends. */
  readonly spent: readonly Outpoint[];
  readonly outputs: readonly AddressedOutput[];
}

/**
 * A transaction of a UTXO chain as plain transfers: a leg without `to` per input that spends a known coin (its index is
 * the input's), a leg without `from` per output with an address (its index follows those of all inputs). The fee has
 * no payer, because the legs of the inputs carry it: the legs of an address add up to the change of its balance.
 */
export function resolveTransaction(transaction: Transaction, context: CoinContext): ResolvedTransaction {
  const { isCoinbase, inputs, outputs } = transaction.utxo ?? { isCoinbase: false, inputs: [], outputs: [] };
  const common = { type: 'native', assetGid: context.nativeGid } as const;
  const transfers: Transfer[] = [];
  const spent: Outpoint[] = [];
  const addressed: AddressedOutput[] = [];
  let feeRaw = 0n;
  let hasUnproved = false;
  for (const [vin, input] of inputs.entries()) {
    const coin = context.findCoin(input);
    if (coin === undefined) continue;
    spent.push(input);
    hasUnproved ||= coin.isUnproved === true;
    feeRaw += coin.amountRaw;
    transfers.push({ index: vin, ...common, from: coin.address, amountRaw: coin.amountRaw });
  }
  for (const [vout, { matchKey, amountRaw }] of outputs.entries()) {
    feeRaw -= amountRaw;
    const address = context.findAddress(matchKey);
    if (address === undefined) continue;
    addressed.push({ txid: transaction.hash, vout, address, amountRaw });
    transfers.push({ index: inputs.length + vout, ...common, to: address, amountRaw });
  }
  const isFeeKnown = !isCoinbase && spent.length === inputs.length;
  return {
    transaction: {
      ...transaction,
      transfers,
      // No more stands behind what it moves than behind the coins that it spends.
      ...(hasUnproved && !lacksEvidence(transaction.verification) && { verification: 'unproved' }),
      ...(isFeeKnown ? { fee: { assetGid: context.nativeGid, amountRaw: feeRaw } } : {}),
    },
    spent,
    outputs: addressed,
  };
}
