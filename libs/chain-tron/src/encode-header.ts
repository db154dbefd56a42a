// SPDX-License-Identifier: Apache-2.0
import { encodeBytes, encodeInt } from './protobuf.ts';
import { sha256 } from './sha256.ts';

/** The fields that a block's id covers (java-tron, `BlockHeader.raw`). */
export interface HeaderFields {
  /** Milliseconds. */
  readonly timestamp: bigint;
  readonly txTrieRoot: Uint8Array;
  readonly parentHash: Uint8Array;
  readonly number: bigint;
  readonly witnessId: bigint;
  readonly witnessAddress: Uint8Array;
  readonly version: bigint;
  readonly accountStateRoot: Uint8Array;
  /** Fields that are not known here, encoded. */
  readonly others?: Uint8Array;
}

/** A block's id as 64 digits: its number in 8 bytes, then SHA-256 of the header without its first 8 bytes. */
export function computeBlockId(header: HeaderFields): string {
  const hash = sha256(encodeHeader(header));
  hash.writeBigUInt64BE(header.number, 0);
  return hash.toString('hex');
}

/** The number that an id begins with. */
export function numberOf(blockId: string): number {
  return Number.parseInt(blockId.slice(0, 16), 16);
}

export function encodeHeader(header: HeaderFields): Buffer {
  return Buffer.concat([
    encodeInt(1, header.timestamp),
    encodeText(2, header.txTrieRoot),
    encodeText(3, header.parentHash),
    encodeInt(7, header.number),
    encodeInt(8, header.witnessId),
    encodeText(9, header.witnessAddress),
    encodeInt(10, header.version),
    encodeText(11, header.accountStateRoot),
    header.others ?? Buffer.alloc(0),
  ]);
}

function encodeText(number: number, value: Uint8Array): Uint8Array {
  return value.length === 0 ? value : encodeBytes(number, value);
}
