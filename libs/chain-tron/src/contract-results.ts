// SPDX-License-Identifier: Apache-2.0
// cspell:ignore sucess
import { IncompleteBlockError } from '@chainwatch/chain-core';

/** How the virtual machine ended (java-tron, `Transaction.Result.contractResult`), by number. */
export const CONTRACT_RESULTS = [
  'DEFAULT',
  'SUCCESS',
  'REVERT',
  'BAD_JUMP_DESTINATION',
  'OUT_OF_MEMORY',
  'PRECOMPILED_CONTRACT',
  'STACK_TOO_SMALL',
  'STACK_TOO_LARGE',
  'ILLEGAL_OPERATION',
  'STACK_OVERFLOW',
  'OUT_OF_ENERGY',
  'OUT_OF_TIME',
  'JVM_STACK_OVER_FLOW',
  'UNKNOWN',
  'TRANSFER_FAILED',
  'INVALID_CODE',
];
/** `Transaction.Result.code`, spelt as java-tron spells it. */
export const RESULT_CODES = ['SUCESS', 'FAILED'];

const VALUE_NAME = /^[A-Z][A-Z0-9_]{1,60}$/;
/** The name that protobuf for Java gives to a value without a name in the definition: 32 bits, signed. */
const UNNAMED_VALUE = /^UNKNOWN_ENUM_VALUE_[A-Za-z]+_(-?\d{1,10})$/;

/**
 * Number of a value of an enumeration; undefined for a name that is not known here.
 * @throws IncompleteBlockError when no value is spelt that way
 */
export function findEnumNumber(names: readonly string[], value: unknown): number | undefined {
  const index = typeof value === 'string' ? names.indexOf(value) : -1;
  if (index >= 0) return index;
  const unnamed = typeof value === 'string' ? UNNAMED_VALUE.exec(value)?.[1] : undefined;
  if (unnamed !== undefined) return Number(unnamed);
  if (typeof value === 'string' && VALUE_NAME.test(value)) return undefined;
  throw new IncompleteBlockError(
    `result of a transaction: expected one of ${names.join(', ')}, got ${String(value).slice(0, 40)}`,
  );
}

/** The name of an unknown value, or its number where it has no name; undefined for a known value. */
export function findUnknownValue(names: readonly string[], value: string): string | undefined {
  if (names.includes(value)) return undefined;
  return UNNAMED_VALUE.exec(value)?.[1] ?? value;
}
