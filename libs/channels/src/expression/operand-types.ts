// SPDX-License-Identifier: Apache-2.0
// cspell:ignore aeio
import { ANY_SHAPE, type EventShape, type ValueKind } from '@chainwatch/events';

/** What a part of an expression is, as far as it is known before an event comes. */
export interface Operand {
  /** Undefined: anything. `amount`: what `amount()` makes. */
  readonly kinds: ReadonlySet<ValueKind | 'amount'> | undefined;
  readonly members?: EventShape['members'];
  readonly items?: Operand;
  /** Most items of a list. */
  readonly size?: number;
}

export const ANY: Operand = ANY_SHAPE;
export const BOOLEAN: Operand = { kinds: new Set(['boolean']) };
export const NUMBER: Operand = { kinds: new Set(['number']) };
export const STRING: Operand = { kinds: new Set(['string']) };
export const AMOUNT: Operand = { kinds: new Set(['amount']) };

export const mayBe = ({ kinds }: Operand, ...wanted: readonly (ValueKind | 'amount')[]): boolean =>
  kinds === undefined || wanted.some((kind) => kinds.has(kind));

/** For people: `a string or null`. */
export function nameKinds({ kinds }: Operand): string {
  if (kinds === undefined) return 'anything';
  return [...kinds]
    .map((kind) => (kind === 'null' ? kind : `${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}`))
    .join(' or ');
}

const USE_AMOUNT = 'amounts are strings: compare amount(…) with a whole number or with amount("0.5")';

/** Why two sides cannot be compared; undefined: they can. */
export function faultOfComparison(operator: string, left: Operand, right: Operand): string | undefined {
  const isOrder = operator !== '==' && operator !== '!=';
  const sides = `${nameKinds(left)} ${operator} ${nameKinds(right)}`;
  if (isOrder) {
    if (mayBe(left, 'number', 'amount') && mayBe(right, 'number', 'amount')) return undefined;
    return `${sides} has no meaning; ${USE_AMOUNT}`;
  }
  if ((isCollection(left) && !isNull(right)) || (isCollection(right) && !isNull(left)))
    return `lists and objects cannot be compared, got ${sides}; use exists, or in`;
  const isSame =
    left.kinds === undefined ||
    right.kinds === undefined ||
    [...left.kinds].some((kind) => mayBe(right, kind));
  if (isSame || (mayBe(left, 'amount') && mayBe(right, 'number'))) return undefined;
  const advice = mayBe(left, 'amount', 'number') || mayBe(right, 'amount', 'number') ? `; ${USE_AMOUNT}` : '';
  return `${sides} is never the same${advice}`;
}

/** `null` itself: whether there is a list or an object may be asked. */
const isNull = ({ kinds }: Operand): boolean => kinds?.size === 1 && kinds.has('null');

const isCollection = (operand: Operand): boolean =>
  operand.kinds !== undefined && mayBe(operand, 'list', 'object');
