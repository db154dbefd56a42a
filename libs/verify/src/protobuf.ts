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
  const readVarint = (): bigint => {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) return fail(`${member}: expected a message of protobuf`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
      shift += 7n;
    }
  };
  while (at < bytes.length) {
    const key = Number(readVarint());
    const number = key >> 3;
    if ((key & 7) === 0) fields.push({ number, value: readVarint() });
    else if ((key & 7) === 2) {
      const size = Number(readVarint());
      if (at + size > bytes.length) fail(`${member}: its bytes end too early`);
      fields.push({ number, value: bytes.subarray(at, at + size) });
      at += size;
    } else fail(`${member}: expected numbers and bytes alone`);
  }
  return fields;
}

/** The last one, as protobuf reads a field that stands twice. */
export function bytesAt(fields: readonly Field[], number: number): Uint8Array {
  const value = fields.findLast((field) => field.number === number)?.value;
  return value instanceof Uint8Array ? value : new Uint8Array();
}

export function intAt(fields: readonly Field[], number: number): bigint {
  const value = fields.findLast((field) => field.number === number)?.value;
  return typeof value === 'bigint' ? value : 0n;
}
