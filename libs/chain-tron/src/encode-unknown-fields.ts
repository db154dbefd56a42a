// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import { parseHex } from './parse-hex.ts';
import { encodeBytes, encodeKey, encodeWholeInt } from './protobuf.ts';

/** Field numbers of protobuf end at 2^29 - 1. */
const FIELD_NAME = /^[1-9]\d{0,8}$/;
const FIXED = /^0x(?:[0-9a-f]{8}|[0-9a-f]{16})$/;
/** A large integer in a list (parseJson). */
const LARGE_INT = /^\+\d{16,20}$/;

/** Whether a member of a message is a field that java-tron itself does not name. */
export function isUnnamed(member: string): boolean {
  return FIELD_NAME.test(member);
}

/**
 * Encodes fields that java-tron's own definition does not name, as they follow the known ones in their
 * message. Its JSON shows them by number, each as a list (JsonFormat.printUnknownFields): integers, `0x` and
 * 8 or 16 digits for 4 or 8 bytes, hexadecimal digits for bytes, objects for groups.
 * @throws IncompleteBlockError
 */
export function encodeUnknownFields(message: object): Buffer {
  const members = Object.entries(message).filter(([name]) => isUnnamed(name));
  members.sort(([one], [other]) => Number(one) - Number(other));
  return Buffer.concat(
    members.flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one: unknown) => encodeValue(Number(name), one)),
    ),
  );
}

function encodeValue(number: number, value: unknown): Buffer {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    return encodeWholeInt(number, BigInt(value));
  if (typeof value === 'object' && value !== null)
    return Buffer.concat([encodeKey(number, 3), encodeUnknownFields(value), encodeKey(number, 4)]);
  if (typeof value !== 'string')
    throw new IncompleteBlockError(
      `field ${number}: expected an integer, digits or a group, got ${String(value)}`,
    );
  if (LARGE_INT.test(value)) return encodeWholeInt(number, BigInt(value));
  if (FIXED.test(value))
    return Buffer.concat([
      encodeKey(number, value.length === 10 ? 5 : 1),
      Buffer.from(value.slice(2), 'hex').reverse(),
    ]);
  return encodeBytes(number, parseHex(`field ${number}`, value));
}
