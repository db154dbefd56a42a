// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from 'bitcoinjs-lib';

/** A transaction as `getblock` 2 tells it. */
export interface Fields {
  readonly txid: string;
  readonly hex: string;
  readonly version: number;
  readonly locktime: number;
  readonly vin: readonly object[];
  readonly vout: readonly { readonly value: number; readonly scriptPubKey: { readonly hex: string } }[];
}

/** A block as a node tells it by bytes and by fields. */
export interface Told {
  readonly bytes: Buffer;
  readonly tx: readonly Fields[];
}

/** With the flag `flag` of the transaction at `at`, and something unreadable in place of what follows. */
export function flagAsUnknown(
  bytes: Buffer,
  { tx, at, flag }: { readonly tx: readonly Fields[]; readonly at: number; readonly flag: string },
): Told {
  const { hex } = tx[at]!;
  const changed = `${hex.slice(0, 10)}${flag}aabbccdd${hex.slice(12)}`;
  return {
    bytes: Buffer.from(bytes.toString('hex').replace(hex, changed), 'hex'),
    tx: tx.with(at, { ...tx[at]!, hex: changed }),
  };
}

/** As Bitcoin Core tells it. */
export function toFields(transaction: Transaction): Fields {
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
  return {
    txid: transaction.getId(),
    hex: transaction.toHex(),
    version: transaction.version,
    locktime: transaction.locktime,
    vin: transaction.ins.map(({ hash, index, script, sequence }) =>
      transaction.isCoinbase()
        ? { coinbase: hex(script), sequence }
        : { txid: hex(hash.toReversed()), vout: index, scriptSig: { hex: hex(script) }, sequence },
    ),
    vout: transaction.outs.map(({ value, script }) => ({
      value: Number(value) / 1e8,
      scriptPubKey: { hex: hex(script) },
    })),
  };
}
