// SPDX-License-Identifier: Apache-2.0
import type { Outpoint } from '@chainwatch/chain-core';
import type { CreatedCoin, Spend } from '../model/utxo-changes.ts';

type Column<T> = readonly [cast: string, read: (row: T) => unknown];

/** txid, vout */
export const outpointColumns: readonly Column<Outpoint>[] = [
  ['text', ({ txid }) => txid],
  ['integer', ({ vout }) => vout],
];

/** txid, vout, address, amount_raw, is_coinbase, block_number, block_hash */
export const coinColumns: readonly Column<CreatedCoin>[] = [
  ...outpointColumns,
  ['text', ({ address }) => address],
  ['numeric', ({ amountRaw }) => amountRaw.toString()],
  ['boolean', ({ isCoinbase }) => isCoinbase],
  ['bigint', ({ block }) => block?.number ?? null],
  ['text', ({ block }) => block?.hash ?? null],
];

/** spent_by, spent_block_number, spent_block_hash */
export const spendColumns: readonly Column<{ readonly spend?: Spend }>[] = [
  ['text', ({ spend }) => spend?.by ?? null],
  ['bigint', ({ spend }) => spend?.block?.number ?? null],
  ['text', ({ spend }) => spend?.block?.hash ?? null],
];
