// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Transaction } from 'bitcoinjs-lib';
import { bitcoinTraitsSchema, type BitcoinTraits } from './bitcoin-traits.ts';
import { hash256, scryptHash, toHashText } from './hash.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { readTraits } from './networks.ts';
import { networkNamed } from './spec-fixtures.ts';
import bitcoinCash from './vectors/bitcoin-cash-chipnet-121957.json' with { type: 'json' };
import dogecoin from './vectors/dogecoin-371337.json' with { type: 'json' };
import litecoin from './vectors/litecoin-2383209.json' with { type: 'json' };

const reversed = (hex: string): Buffer => Buffer.from(hex, 'hex').reverse();
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** A variable-length integer as Litecoin's extension blocks write it (VARINT of Bitcoin Core). */
function toVarInt(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) {
    rest -= 1;
    bytes.unshift((rest & 0x7f) | 0x80);
  }
  return Buffer.from(bytes);
}

/** The block of Litecoin as its node's raw answer would be. */
export function buildLitecoinBlock(): Buffer {
  const { version, previousblockhash, merkleroot, time, bits, nonce, tx, mweb } = litecoin;
  return Buffer.concat([
    uint32(version),
    reversed(previousblockhash),
    reversed(merkleroot),
    ...[time, parseInt(bits, 16), nonce].map(uint32),
    Buffer.of(tx.length),
    ...tx.map(({ hex }) => Buffer.from(hex, 'hex')),
    // An extension block follows: header, then no inputs, outputs and kernels.
    Buffer.of(1),
    toVarInt(mweb.height),
    ...[mweb.output_root, mweb.kernel_root, mweb.leaf_root].map((hex) => Buffer.from(hex, 'hex')),
    ...[mweb.kernel_offset, mweb.stealth_offset].map((hex) => Buffer.from(hex, 'hex')),
    toVarInt(mweb.num_txos),
    toVarInt(mweb.num_kernels),
    Buffer.alloc(3),
  ]);
}

export const dogecoinBlock = Buffer.from(dogecoin.block, 'hex');
export const bitcoinCashBlock = Buffer.from(bitcoinCash.block, 'hex');
export { bitcoinCash, dogecoin, litecoin };

export const traitsOf = (name: string): BitcoinTraits => readTraits(networkNamed(name));

/** Those of a test network that writes its blocks as Bitcoin Cash does. */
export const chipnetTraits = bitcoinTraitsSchema.parse({
  ...traitsOf('bitcoin-cash'),
  cashAddrPrefix: 'bchtest',
  // The tokens of chipnet began half a year before those of the main network.
  cashTokensHeight: 121_957,
});

const EASY_BITS = 0x207fffff;

/** A block generated around `transactions` (hexadecimal), the coinbase first, with work for the easiest target. */
export function generateBlock(
  transactions: readonly string[],
  {
    traits,
    txids,
    version = 0x20000000,
  }: { traits: BitcoinTraits; txids: readonly string[]; version?: number },
): { readonly hash: string; readonly bytes: Buffer } {
  const header = Buffer.alloc(80);
  header.writeUInt32LE(version, 0);
  header.set(randomBytes(32), 4);
  header.set(computeMerkleRoot(txids.map(reversed)).root, 36);
  header.writeUInt32LE(1_700_000_000, 68);
  header.writeUInt32LE(EASY_BITS, 72);
  const work = traits.proofOfWork === 'scrypt' ? scryptHash : hash256;
  for (let nonce = 0; work(header)[31]! > 0x7f; nonce++) header.writeUInt32LE(nonce, 76);
  const count = Buffer.of(transactions.length);
  const bodies = transactions.map((hex) => Buffer.from(hex, 'hex'));
  return { hash: toHashText(hash256(header)), bytes: Buffer.concat([header, count, ...bodies]) };
}

/** A payment of a made-up output without a witness, or a coinbase. */
export function generateTransaction({
  from = { txid: randomBytes(32).toString('hex'), vout: 0 },
  scripts,
  amountRaw = 1_000n,
}: {
  from?: { txid: string; vout: number } | 'coinbase';
  scripts: readonly string[];
  amountRaw?: bigint;
}): { readonly txid: string; readonly hex: string } {
  const transaction = new Transaction();
  if (from === 'coinbase') transaction.addInput(Buffer.alloc(32), 0xffffffff, 0xffffffff, randomBytes(8));
  else transaction.addInput(reversed(from.txid), from.vout, 0xffffffff, randomBytes(70));
  for (const script of scripts) transaction.addOutput(Buffer.from(script, 'hex'), amountRaw);
  return { txid: transaction.getId(), hex: transaction.toHex() };
}
