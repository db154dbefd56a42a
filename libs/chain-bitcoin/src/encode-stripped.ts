import { z } from 'zod';
import { parseAmount } from './parse-amount.ts';
import { parseHex } from './parse-hex.ts';

const scriptSchema = z.object({ hex: z.string() });
const uint32 = z.int().min(0).max(0xffff_ffff);

/** What the txid is over, as `getblock` 2 tells it. */
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
  vout: z.array(z.object({ value: z.number(), scriptPubKey: scriptSchema })),
});

export type TransactionFields = z.infer<typeof fieldsSchema>;

const noOutput = 0xffff_ffff;

/** A transaction without its witness (BIP-144), from its fields. @throws ChainClientError when one of them is none */
export function encodeStripped({ version, locktime, vin, vout }: TransactionFields): Buffer {
  const inputs = vin.map((input) => {
    const outpoint =
      'coinbase' in input
        ? [Buffer.alloc(32), uint(4, noOutput)]
        : [parseHex('txid', input.txid).reverse(), uint(4, input.vout)];
    const script = 'coinbase' in input ? input.coinbase : input.scriptSig.hex;
    return Buffer.concat([...outpoint, withLength(script), uint(4, input.sequence)]);
  });
  const outputs = vout.map(({ value, scriptPubKey }) =>
    Buffer.concat([uint(8, parseAmount('getblock', value)), withLength(scriptPubKey.hex)]),
  );
  return Buffer.concat([
    uint(4, version),
    compactSize(inputs.length),
    ...inputs,
    compactSize(outputs.length),
    ...outputs,
    uint(4, locktime),
  ]);
}

function withLength(hex: string): Buffer {
  const bytes = parseHex('script', hex);
  return Buffer.concat([compactSize(bytes.length), bytes]);
}

function compactSize(size: number): Buffer {
  if (size < 0xfd) return uint(1, size);
  return size <= 0xffff
    ? Buffer.concat([Buffer.of(0xfd), uint(2, size)])
    : Buffer.concat([Buffer.of(0xfe), uint(4, size)]);
}

/** Little endian; nodes tell versions signed or not. */
function uint(length: number, value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return bytes.subarray(0, length);
}
