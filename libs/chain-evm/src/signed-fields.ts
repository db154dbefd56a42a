// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { data, quantity, type RlpItem } from './encode-rlp.ts';
import type { RawAuthorization, RawTransaction } from './raw-block.ts';

export type Fields = (tx: RawTransaction) => readonly RlpItem[];

/**
 * The fields that the sender signed, by Ethereum's own types, in their order. Not viem's `serializeTransaction`: it is for
 * wallets, and refuses transactions that blocks do hold (docs/adr/0003-evm-completeness.md).
 * encode-transaction.spec.ts compares the two.
 */
export const SIGNED_FIELDS: Readonly<Record<number, Fields>> = {
  0: (tx) => [quantity(tx.nonce), quantity(tx.gasPrice), ...callOf(tx)],
  1: (tx) => [quantity(tx.chainId), quantity(tx.nonce), quantity(tx.gasPrice), ...callOf(tx), accessesOf(tx)],
  2: feeMarketFields,
  // As in a block: without the blobs.
  3: (tx) => [
    ...feeMarketFields(tx),
    quantity(tx.maxFeePerBlobGas),
    (tx.blobVersionedHashes ?? []).map(data),
  ],
  4: (tx) => [...feeMarketFields(tx), (tx.authorizationList ?? []).map(authorizationFields)],
};

/** The fields of EIP-1559, with which later types begin. */
export function feeMarketFields(tx: RawTransaction): readonly RlpItem[] {
  return [
    quantity(tx.chainId),
    quantity(tx.nonce),
    quantity(tx.maxPriorityFeePerGas),
    quantity(tx.maxFeePerGas),
    ...callOf(tx),
    accessesOf(tx),
  ];
}

export function signatureFields(
  { r, s }: Pick<RawTransaction, 'r' | 's'>,
  parity: string | null | undefined,
): readonly Hex[] {
  return [quantity(parity), quantity(r), quantity(s)];
}

function callOf(tx: RawTransaction): readonly Hex[] {
  return [quantity(tx.gas), data(tx.to), quantity(tx.value), data(tx.input)];
}

function accessesOf(tx: RawTransaction): RlpItem {
  return (tx.accessList ?? []).map(({ address, storageKeys }) => [data(address), storageKeys.map(data)]);
}

function authorizationFields(authorization: RawAuthorization): RlpItem {
  const { chainId, address, nonce, yParity, v } = authorization;
  return [quantity(chainId), data(address), quantity(nonce), ...signatureFields(authorization, yParity ?? v)];
}
