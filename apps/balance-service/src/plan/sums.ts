// SPDX-License-Identifier: Apache-2.0
import { CHANGE_REASONS, type ChangeReason } from '@chainwatch/events';

/** What moved a balance, by reason: base units, signed. */
export type Sums = Readonly<Partial<Record<ChangeReason, bigint>>>;

export function addSums(one: Sums, other: Sums): Sums {
  return combine(one, other, 1n);
}

export function subtractSums(one: Sums, other: Sums): Sums {
  return combine(one, other, -1n);
}

export function totalOf(sums: Sums): bigint {
  return Object.values(sums).reduce((total, amountRaw) => total + amountRaw, 0n);
}

/** For the database: decimal strings, because they are larger than numbers of JSON. */
export function encodeSums(sums: Sums): string {
  return JSON.stringify(sums, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** @param json null: written by the release before, which counted nothing */
export function decodeSums(json: Readonly<Record<string, string>> | null): Sums | undefined {
  if (json === null) return undefined;
  return Object.fromEntries(Object.entries(json).map(([reason, amount]) => [reason, BigInt(amount)]));
}

/** Without those that are zero, in the order of the reasons. */
function combine(one: Sums, other: Sums, sign: 1n | -1n): Sums {
  const sums: Partial<Record<ChangeReason, bigint>> = {};
  for (const reason of CHANGE_REASONS) {
    const sum = (one[reason] ?? 0n) + sign * (other[reason] ?? 0n);
    if (sum !== 0n) sums[reason] = sum;
  }
  return sums;
}
