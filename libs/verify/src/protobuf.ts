// SPDX-License-Identifier: Apache-2.0
import { fail } from './proof.ts';

export interface Field {
  readonly number: number;
  /** A whole number, or bytes. */
  readonly value: bigint | Uint8Array;
}

/** Fields of a message of protobuf, in their order. @throws InvalidProofError */
export function readFields(member: string, bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (max: bigint): bigint => {
    const from = at;
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) return fail(`${member}: expected a message of protobuf`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        // Parsers cut longer forms, and differ in how.
        if (value > max || (byte === 0 && at - from > 1))
          return fail(`${member}: a number is not in its shortest form`);
        return value;
      }
      shift += 7n;
      if (shift > 63n) return fail(`${member}: expected a message of protobuf`);
    }
  };
  while (at < bytes.length) {
    const key = Number(readVarint(MAX_32));
    const number = key >>> 3;
    if (number === 0) fail(`${member}: no field has the number 0`);
    if ((key & 7) === 0) fields.push({ number, value: readVarint(MAX_64) });
    else if ((key & 7) === 2) {
      const size = Number(readVarint(MAX_32));
      if (at + size > bytes.length) fail(`${member}: its bytes end too early`);
      fields.push({ number, value: bytes.subarray(at, at + size) });
      at += size;
    } else fail(`${member}: expected numbers and bytes alone`);
  }
  return fields;
}

const [MAX_32, MAX_64] = [2n ** 32n - 1n, 2n ** 64n - 1n];

/** @throws InvalidProofError where it stands twice: parsers take the last one, or join them */
export function bytesAt(fields: readonly Field[], number: number): Uint8Array {
  const value = onlyAt(fields, number);
  if (typeof value === 'bigint') return fail(`expected bytes in field ${number} of a message, got a number`);
  return value ?? new Uint8Array();
}

/** @throws InvalidProofError where it stands twice */
export function intAt(fields: readonly Field[], number: number): bigint {
  const value = onlyAt(fields, number);
  if (value instanceof Uint8Array)
    return fail(`expected a number in field ${number} of a message, got bytes`);
  return value ?? 0n;
}

function onlyAt(fields: readonly Field[], number: number): Field['value'] | undefined {
  const [first, second] = fields.filter((field) => field.number === number);
  if (second !== undefined) fail(`field ${number} of a message stands twice`);
  return first?.value;
}
