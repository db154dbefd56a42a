// SPDX-License-Identifier: Apache-2.0
import { Transaction } from 'bitcoinjs-lib';
import { z } from 'zod';
import { amountSchema, parseAmount } from './parse-amount.ts';
import { parseHex } from './parse-hex.ts';

const scriptSchema = z.object({ hex: z.string() });
const uint32 = z.int().min(0).max(0xffff_ffff);

/** The fields that the txid covers, as `getblock` 2 shows them. */
export const fieldsSchema = z.object({
  version: z.int(),
  locktime: uint32,
  vin: z.array(
    z.union([
      z.object({ coinbase: z.string(), sequence: uint32 }),
      z.object({
        txid: z.string().regex(/^[0-9a-f]{64}$/),
        vout: uint32,
        scriptSig: scriptSchema,
        sequence: uint32,
      }),
    ]),
  ),
  vout: z.array(z.object({ value: amountSchema, scriptPubKey: scriptSchema })),
});

export type TransactionFields = z.infer<typeof fieldsSchema>;

const NO_OUTPUT = 0xffff_ffff;

/** A transaction without its witness (BIP-144), from its fields. @throws ChainClientError when a field is malformed */
export function buildTransaction(
  { version, locktime, vin, vout }: TransactionFields,
  coinsMax?: number,
): Transaction {
  const transaction = new Transaction();
  // Some nodes show versions as signed integers, others as unsigned ones.
  transaction.version = version >>> 0;
  transaction.locktime = locktime;
  for (const input of vin) {
    if ('coinbase' in input)
      transaction.addInput(Buffer.alloc(32), NO_OUTPUT, input.sequence, parseHex('script', input.coinbase));
    else
      transaction.addInput(
        parseHex('txid', input.txid).reverse(),
        input.vout,
        input.sequence,
        parseHex('script', input.scriptSig.hex),
      );
  }
  for (const { value, scriptPubKey } of vout)
    transaction.addOutput(
      parseHex('script', scriptPubKey.hex),
      parseAmount({ what: 'getblock', coins: value, coinsMax }),
    );
  return transaction;
}
