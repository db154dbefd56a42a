import { IncompleteBlockError } from '@chainwatch/chain-core';

/**
 * The fields of one message by number, in the order in which they stand: varints as unsigned integers,
 * length-delimited fields as bytes. No message that is read here has fields of other wire types, so these are
 * skipped.
 */
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
      if (byte === undefined)
        throw new IncompleteBlockError(`message of ${bytes.length} bytes ends within a number`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new IncompleteBlockError('expected a number of at most 10 bytes, got more');
  };
  const readBytes = (length: number): Buffer => {
    if (at + length > bytes.length)
      throw new IncompleteBlockError(
        `expected ${length} bytes at ${at} of a message, got ${bytes.length - at}`,
      );
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const value = readValue(key, readVarint, readBytes);
    if (value === undefined) continue;
    const list = fields.get(key >>> 3) ?? [];
    fields.set(key >>> 3, list);
    list.push(value);
  }
  return fields;
}

/** Undefined for a skipped field. */
function readValue(
  key: number,
  readVarint: () => bigint,
  readBytes: (length: number) => Buffer,
): bigint | Buffer | undefined {
  switch (key & 7) {
    case 0:
      return readVarint();
    case 2:
      return readBytes(Number(readVarint()));
    case 1:
      readBytes(8);
      return undefined;
    case 5:
      readBytes(4);
      return undefined;
    case 3: {
      // A group, up to its end under the same number. Groups may be nested, as deep as the message is long.
      const open = [key >>> 3];
      while (open.length > 0) {
        const inner = Number(readVarint());
        if ((inner & 7) === 3) open.push(inner >>> 3);
        else if ((inner & 7) !== 4) readValue(inner, readVarint, readBytes);
        else if (open.pop() !== inner >>> 3)
          throw new IncompleteBlockError(`expected the end of another group, got that of ${inner >>> 3}`);
      }
      return undefined;
    }
    default:
      throw new IncompleteBlockError(`expected a wire type of 0 to 3 or 5, got ${key & 7}`);
  }
}

/** The last value of a bytes field, empty when it is not there. */
export function bytesOf(fields: Fields, number: number): Buffer {
  return fields.get(number)?.findLast((value) => typeof value === 'object') ?? nothing;
}

/**
 * The bytes of an embedded message, empty when it is not there. A message that comes in parts is their
 * concatenation (protobuf merges them).
 */
export function messageOf(fields: Fields, number: number): Buffer {
  const parts = (fields.get(number) ?? []).filter((value) => typeof value === 'object');
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** The last value of an int64 field, 0 when it is not there. */
export function intOf(fields: Fields, number: number): bigint {
  return BigInt.asIntN(64, fields.get(number)?.findLast((value) => typeof value === 'bigint') ?? 0n);
}

/** Encodes a bytes field. */
export function encodeBytes(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([encodeKey(number, 2), encodeVarint(BigInt(value.length)), value]);
}

/** Encodes an integer field; empty when it is 0. */
export function encodeInt(number: number, value: bigint): Buffer {
  return value === 0n ? nothing : encodeWholeInt(number, value);
}

/** Encodes an integer field even when it is 0. */
export function encodeWholeInt(number: number, value: bigint): Buffer {
  return Buffer.concat([encodeKey(number, 0), encodeVarint(BigInt.asUintN(64, value))]);
}

/** The key that a field begins with: its number and its wire type. */
export function encodeKey(number: number, wireType: number): Buffer {
  return encodeVarint(BigInt(number) * 8n + BigInt(wireType));
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
