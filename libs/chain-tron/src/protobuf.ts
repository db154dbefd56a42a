import { IncompleteBlockError } from '@chainwatch/chain-core';

/** The fields of one message by number, as they stand: varints as unsigned integers, everything else as bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

const nothing = Buffer.alloc(0);

/** Reads a message (protobuf.dev/programming-guides/encoding). @throws IncompleteBlockError when it is cut short or malformed */
export function readFields(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new IncompleteBlockError(`message of ${bytes.length} bytes ends within a number`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new IncompleteBlockError('expected a number of at most 10 bytes, got more');
  };
  const readBytes = (length: number): Buffer => {
    if (at + length > bytes.length) throw new IncompleteBlockError(`expected ${length} bytes at ${at} of a message, got ${bytes.length - at}`);
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const list = fields.get(key >>> 3) ?? [];
    fields.set(key >>> 3, list);
    list.push(readValue(key & 7, readVarint, readBytes));
  }
  return fields;
}

function readValue(wireType: number, readVarint: () => bigint, readBytes: (length: number) => Buffer): bigint | Buffer {
  switch (wireType) {
    case 0: return readVarint();
    case 1: return readBytes(8);
    case 2: return readBytes(Number(readVarint()));
    case 5: return readBytes(4);
    default: throw new IncompleteBlockError(`expected a wire type of 0, 1, 2 or 5, got ${wireType}`);
  }
}

/** The last value of a bytes field, empty when it is not there. */
export function bytesOf(fields: Fields, number: number): Buffer {
  const value = fields.get(number)?.at(-1);
  return typeof value === 'object' ? value : nothing;
}

/** The last value of an int64 field, 0 when it is not there. */
export function intOf(fields: Fields, number: number): bigint {
  const value = fields.get(number)?.at(-1);
  return typeof value === 'bigint' ? BigInt.asIntN(64, value) : 0n;
}

/** A bytes field as it is written. */
export function encodeBytes(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([encodeVarint(BigInt(number * 8 + 2)), encodeVarint(BigInt(value.length)), value]);
}

/** An integer field as it is written: not at all when it is 0. */
export function encodeInt(number: number, value: bigint): Buffer {
  return value === 0n ? nothing : Buffer.concat([encodeVarint(BigInt(number * 8)), encodeVarint(BigInt.asUintN(64, value))]);
}

function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
