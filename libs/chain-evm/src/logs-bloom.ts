// SPDX-License-Identifier: Apache-2.0
import { keccak256 } from './encode-rlp.ts';
import type { RawLog } from './raw-block.ts';

/** The bloom of receipts (Yellow Paper, 4.3.1: 3 bits of 2,048 for each address and topic), as hex with prefix. */
export function computeLogsBloom(receipts: readonly { readonly logs: readonly RawLog[] }[]): string {
  const bloom = Buffer.alloc(256);
  // Most entries of a block repeat (the Transfer topic, a busy token).
  const entries = new Set(
    receipts.flatMap(({ logs }) => logs.flatMap(({ address, topics }) => [address, ...topics])),
  );
  for (const entry of entries) addEntry(bloom, entry);
  return `0x${bloom.toString('hex')}`;
}

function addEntry(bloom: Uint8Array, hex: string): void {
  for (const bit of bloomBitsOf(hex)) {
    const at = 255 - (bit >> 3);
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
  }
}

/** The three bits that an address or a topic, as hex with prefix, sets in a bloom. */
export function bloomBitsOf(hex: string): readonly number[] {
  const hash = keccak256(Buffer.from(hex.slice(2), 'hex'));
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047);
}

/** Whether a bloom has all bits of at least one entry; also true by chance, the more its logs the more often. */
export function matchesBloom(bloom: string, entries: readonly (readonly number[])[]): boolean {
  const bytes = Buffer.from(bloom.slice(2), 'hex');
  return entries.some((bits) =>
    bits.every((bit) => ((bytes[255 - (bit >> 3)] ?? 0) & (1 << (bit & 7))) !== 0),
  );
}

/** The bloom of all that `blooms` cover, as hex with prefix; without any, the empty one. */
export function joinBlooms(blooms: readonly string[]): string {
  const joined = Buffer.alloc(256);
  for (const bloom of blooms) {
    const bytes = Buffer.from(bloom.slice(2), 'hex');
    for (let at = 0; at < joined.length; at++) joined[at] = (joined[at] ?? 0) | (bytes[at] ?? 0);
  }
  return `0x${joined.toString('hex')}`;
}
