// SPDX-License-Identifier: Apache-2.0
const PREFIX_TOKEN = 0xef;
const CATEGORY_LENGTH = 32;
const RESERVED = 0x80;
const HAS_COMMITMENT = 0x40;
const HAS_NFT = 0x20;
const HAS_AMOUNT = 0x10;
const CAPABILITY_MAX = 2;
const AMOUNT_MAX = 0x7fff_ffff_ffff_ffffn;

/**
 * Where the script of an output begins: behind the token prefix (CHIP-2022-02 CashTokens), where there is one. The category,
 * the NFT and the amount of tokens in it are read past. A prefix that is none by the rules is part of the script.
 */
export function skipTokenPrefix(output: Uint8Array): number {
  if (output[0] !== PREFIX_TOKEN || output.length < 2 + CATEGORY_LENGTH) return 0;
  const bitfield = output[1 + CATEGORY_LENGTH]!;
  const capability = bitfield & 0x0f;
  const hasNft = (bitfield & HAS_NFT) !== 0;
  const hasCommitment = (bitfield & HAS_COMMITMENT) !== 0;
  if ((bitfield & RESERVED) !== 0 || (bitfield & (HAS_NFT | HAS_AMOUNT)) === 0) return 0;
  if (capability > CAPABILITY_MAX || (!hasNft && (hasCommitment || capability !== 0))) return 0;
  let at: number | undefined = 2 + CATEGORY_LENGTH;
  if (hasCommitment) {
    const length = readNumber(output, at);
    if (length === undefined || length.value === 0n) return 0;
    at = length.end + Number(length.value);
  }
  if ((bitfield & HAS_AMOUNT) !== 0) {
    const amount = readNumber(output, at);
    if (amount === undefined || amount.value === 0n || amount.value > AMOUNT_MAX) return 0;
    at = amount.end;
  }
  return at <= output.length ? at : 0;
}

/** CompactSize in its shortest form; undefined for anything else. */
function readNumber(
  bytes: Uint8Array,
  at: number,
): { readonly value: bigint; readonly end: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0xfd) return { value: BigInt(first), end: at + 1 };
  const length = 2 ** (first - 0xfc);
  if (at + 1 + length > bytes.length) return undefined;
  const hex = Buffer.from(bytes.subarray(at + 1, at + 1 + length))
    .reverse()
    .toString('hex');
  const value = BigInt(`0x${hex}`);
  const least = first === 0xfd ? 0xfdn : 1n << BigInt(length * 4);
  return value < least ? undefined : { value, end: at + 1 + length };
}
