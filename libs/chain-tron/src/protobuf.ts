// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';

/**
 * The fields of one message by number, in the order in which they stand: varints as unsigned integers,
 * length-delimited fields as bytes. No message that is read here has fields of other wire types, so these are
 * skipped.
 */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

const nothing = Buffer.alloc(0);

/** How deep groups may be nested in Java, by default. */
const DEPTH_MAX = 100;

/**
 * Reads a message (protobuf.dev/programming-guides/encoding) as protobuf for Java does (`CodedInputStream`,
 * `UnknownFieldSet`), because what java-tron executes is what Java reads, and a sender chooses the bytes. The bytes of an
 * `Any` stay as they were sent, so they need not be in their shortest form. In Java:
 *
 * - Keys, lengths, and enumerations are the lower 32 bits of their number; a length is signed.
 * - Of a number of ten bytes bit 63 is set, whatever the tenth byte holds.
 * - There is no field 0, no end of a group that did not begin, and no group in a hundred others.
 * - A field of another wire type than its own is an unknown field.
 *
 * @throws IncompleteBlockError when it is cut short or malformed: Java refuses it then, too
 */
export function readFields(bytes: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  const reader = new FieldReader(bytes);
  while (!reader.isAtEnd) {
    const key = reader.readKey();
    const value = reader.readValue(key);
    if (value === undefined) continue;
    const list = fields.get(key >>> 3) ?? [];
    fields.set(key >>> 3, list);
    list.push(value);
  }
  return fields;
}

class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Number and wire type of a field. */
  readKey(): number {
    const key = this.#readInt32() >>> 0;
    if (key >>> 3 === 0) throw new IncompleteBlockError('expected a field with a number, got 0');
    return key;
  }

  /** Undefined for a skipped field. */
  readValue(key: number): bigint | Buffer | undefined {
    switch (key & 7) {
      case 0:
        return this.#readVarint();
      case 2:
        return this.#readBytes(this.#readInt32());
      case 1:
        this.#readBytes(8);
        return undefined;
      case 5:
        this.#readBytes(4);
        return undefined;
      case 3:
        this.#skipGroup(key >>> 3);
        return undefined;
      default:
        throw new IncompleteBlockError(`expected a wire type of 0 to 3 or 5, got ${key & 7}`);
    }
  }

  /** Up to the end of the group under the same number. Its fields are checked like others. */
  #skipGroup(number: number): void {
    const open = [number];
    while (open.length > 0) {
      if (open.length > DEPTH_MAX)
        throw new IncompleteBlockError(`expected at most ${DEPTH_MAX} groups in each other, got more`);
      const inner = this.readKey();
      if ((inner & 7) === 3) open.push(inner >>> 3);
      else if ((inner & 7) !== 4) this.readValue(inner);
      else if (open.pop() !== inner >>> 3)
        throw new IncompleteBlockError(`expected the end of another group, got that of ${inner >>> 3}`);
    }
  }

  #readBytes(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#bytes.length)
      throw new IncompleteBlockError(
        `expected ${length} bytes at ${this.#at} of a message, got ${this.#bytes.length - this.#at}`,
      );
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }

  /** Keys and lengths: almost all are of one byte. */
  #readInt32(): number {
    const first = this.#bytes[this.#at];
    if (first === undefined || first >= 0x80) return toInt32(this.#readVarint());
    this.#at += 1;
    return first;
  }

  /** An unsigned integer of 64 bits. */
  #readVarint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 63n; shift += 7n) {
      const byte = this.#readByte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    if (this.#readByte() >= 0x80)
      throw new IncompleteBlockError('expected a number of at most 10 bytes, got more');
    return value | BIT_63;
  }

  #readByte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined)
      throw new IncompleteBlockError(`message of ${this.#bytes.length} bytes ends within a number`);
    return byte;
  }
}

const BIT_63 = 1n << 63n;
const toInt32 = (value: bigint): number => Number(BigInt.asIntN(32, value));

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

/** The last value of an enumeration or an int32 field, 0 when it is not there: the lower 32 bits, signed. */
export function int32Of(fields: Fields, number: number): number {
  return toInt32(intOf(fields, number));
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
