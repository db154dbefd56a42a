// SPDX-License-Identifier: Apache-2.0
import { Environment } from '@marcbachmann/cel-js';
import { compareAmounts, DECIMAL_PATTERN, InvalidAmountError } from '@chainwatch/amounts';

const LIST_ITEMS_MAX = 100;
const NODES_MAX = 400;
const DEPTH_MAX = 24;
/** Of a decimal string; compareAmounts refuses longer ones. */
const LENGTH_MAX = 1_024;

/** An exact decimal number of any size; CEL's own integers have 64 bits, which an amount of wei outgrows. */
class Amount {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** @throws InvalidAmountError for what is no decimal string and no integer: null, and numbers that may have been rounded */
function toAmount(value: unknown): Amount {
  if (typeof value === 'bigint') return new Amount(String(value));
  if (typeof value === 'string' && value.length <= LENGTH_MAX && DECIMAL_PATTERN.test(value))
    return new Amount(value);
  throw new InvalidAmountError('an amount such as "1.5"', value);
}

const compare = (left: Amount, right: Amount | bigint): number =>
  compareAmounts(left.text, typeof right === 'bigint' ? String(right) : right.text);

/** What the limits of the interpreter mean to whoever writes an expression. */
export const LIMITS: Readonly<Record<string, string>> = {
  maxAstNodes: `too long: at most ${NODES_MAX} names, values, and operators`,
  maxDepth: `nested too deep: at most ${DEPTH_MAX} levels`,
  maxListElements: `too many items: at most ${LIST_ITEMS_MAX} in a list`,
  maxMapEntries: 'objects are not available in expressions',
  maxCallArguments: 'too many arguments: at most 2',
};

/** CEL with `amount()`, over one variable. */
export const environment = new Environment({
  limits: {
    maxAstNodes: NODES_MAX,
    maxDepth: DEPTH_MAX,
    maxListElements: LIST_ITEMS_MAX,
    maxMapEntries: 0,
    maxCallArguments: 2,
  },
})
  .registerVariable('event', 'map')
  .registerType('Amount', { ctor: Amount, fields: {} })
  .registerFunction('amount(dyn): Amount', toAmount);

for (const right of ['Amount', 'int'])
  environment
    .registerOperator(`Amount == ${right}`, (a: Amount, b: Amount | bigint) => compare(a, b) === 0)
    .registerOperator(`Amount < ${right}`, (a: Amount, b: Amount | bigint) => compare(a, b) < 0)
    .registerOperator(`Amount <= ${right}`, (a: Amount, b: Amount | bigint) => compare(a, b) <= 0)
    .registerOperator(`Amount > ${right}`, (a: Amount, b: Amount | bigint) => compare(a, b) > 0)
    .registerOperator(`Amount >= ${right}`, (a: Amount, b: Amount | bigint) => compare(a, b) >= 0);
