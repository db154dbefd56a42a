// SPDX-License-Identifier: Apache-2.0
import { Transaction } from 'bitcoinjs-lib';
import type { ScriptKey } from './script-keys.ts';

/** An output with the key that spends it. */
export interface KeyedCoin {
  readonly txid: string;
  readonly vout: number;
  /** Satoshi. */
  readonly value: bigint;
  readonly key: ScriptKey;
}

export interface TransactionOutput {
  readonly script: Uint8Array;
  /** Satoshi. */
  readonly value: bigint;
}

/** A signed transaction; what the outputs leave of the coins is the fee. It says that it may be replaced (BIP-125). */
export function buildTransaction({
  coins,
  outputs,
}: {
  readonly coins: readonly KeyedCoin[];
  readonly outputs: readonly TransactionOutput[];
}): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (const { txid, vout } of coins)
    transaction.addInput(Buffer.from(txid, 'hex').reverse(), vout, 0xfffffffd);
  for (const { script, value } of outputs) transaction.addOutput(script, value);
  const spent = coins.map(({ key, value }) => ({ script: key.script, value }));
  coins.forEach(({ key }, index) => key.sign(transaction, index, spent));
  return transaction;
}
