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
  const hash = keccak256(Buffer.from(hex.slice(2), 'hex'));
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 2047;
    const at = 255 - (bit >> 3);
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
  }
}
