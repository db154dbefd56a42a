import { keccak256 } from './keccak.ts';
import type { RawLog } from './raw-block.ts';

/** Adds the addresses and topics of `logs` to a 256-byte bloom (Yellow Paper, 4.3.1) and returns it. */
export function addToBloom(bloom: Uint8Array, logs: readonly RawLog[]): Uint8Array {
  // Most entries of a block repeat (the Transfer topic, a busy token).
  const done = new Set<string>();
  for (const log of logs) {
    addEntry(bloom, log.address, done);
    for (const topic of log.topics) addEntry(bloom, topic, done);
  }
  return bloom;
}

/** The bloom of a block as hex with prefix, to compare with its header's `logsBloom`. */
export function computeLogsBloom(receipts: readonly { readonly logs: readonly RawLog[] }[]): string {
  const bloom = Buffer.alloc(256);
  addToBloom(
    bloom,
    receipts.flatMap((receipt) => receipt.logs),
  );
  return `0x${bloom.toString('hex')}`;
}

function addEntry(bloom: Uint8Array, hex: string, done: Set<string>): void {
  if (done.has(hex)) return;
  done.add(hex);
  const hash = keccak256(Buffer.from(hex.slice(2), 'hex'));
  for (let i = 0; i < 6; i += 2) {
    const bit = (((hash[i] ?? 0) << 8) | (hash[i + 1] ?? 0)) & 2047;
    const at = 255 - (bit >> 3);
    bloom[at] = (bloom[at] ?? 0) | (1 << (bit & 7));
  }
}
