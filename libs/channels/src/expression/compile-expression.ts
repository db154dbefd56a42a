// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache';
import { checkExpression } from './check-expression.ts';
import { ExpressionError } from './expression-error.ts';
import { Environment } from '@marcbachmann/cel-js';
import { compareAmounts, DECIMAL_PATTERN, InvalidAmountError } from '@chainwatch/common/amounts';

export { ExpressionError };

/** What an expression says of an event. */
export interface Verdict {
  readonly matches: boolean;
  /** Why it could not be evaluated: then the event does not match. At most 200 characters. */
  readonly fault?: string;
}

export interface Expression {
  /** @param event parsed; nothing else can be read */
  judge(event: object): Verdict;
}

const COMPILED_MAX = 1_000;
const FAULT_LENGTH_MAX = 200;
const MATCH: Verdict = { matches: true };
const NO_MATCH: Verdict = { matches: false };

const compiled = new LRUCache<string, Expression>({ max: COMPILED_MAX });

/** The same text is compiled once. @throws ExpressionError */
export function compileExpression(text: string): Expression {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const expression = compile(text);
  compiled.set(text, expression);
  return expression;
}

function compile(text: string): Expression {
  const run = parse(text);
  checkExpression(text, run.ast);
  const { error } = run.check();
  if (error !== undefined) throw refusal(text, error);
  return { judge: (event) => judge(run, event) };
}

type Run = ReturnType<typeof environment.parse>;

function parse(text: string): Run {
  try {
    return environment.parse(text);
  } catch (error) {
    throw refusal(text, error);
  }
}

/** Errors of the interpreter, in which it draws the place. */
interface InterpreterError {
  readonly code?: unknown;
  readonly summary?: unknown;
  readonly range?: { readonly start: number };
}

function refusal(text: string, error: unknown): ExpressionError {
  const { code, summary, range } = error as InterpreterError;
  const told = typeof summary === 'string' ? summary : 'the expression cannot be read';
  const limit = code === 'limit_exceeded' ? LIMITS[/\w+(?= \()/.exec(told)?.[0] ?? ''] : undefined;
  return new ExpressionError(text, range?.start ?? 0, limit ?? told);
}

/** An error in an event's member is common, and its stack is most of its cost: nobody reads it. */
function judge(run: Run, event: object): Verdict {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const result: unknown = run({ event });
    if (typeof result === 'boolean') return result ? MATCH : NO_MATCH;
    return { matches: false, fault: 'expected true or false, got another value' };
  } catch (error) {
    return { matches: false, fault: describe(error).slice(0, FAULT_LENGTH_MAX) };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function describe(error: unknown): string {
  const { summary } = error as InterpreterError;
  if (typeof summary === 'string') return summary;
  return error instanceof Error ? error.message : String(error);
}

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
const LIMITS: Readonly<Record<string, string>> = {
  maxAstNodes: `too long: at most ${NODES_MAX} names, values, and operators`,
  maxDepth: `nested too deep: at most ${DEPTH_MAX} levels`,
  maxListElements: `too many items: at most ${LIST_ITEMS_MAX} in a list`,
  maxMapEntries: 'objects are not available in expressions',
  maxCallArguments: 'too many arguments: at most 2',
};

/** CEL with `amount()`, over one variable. */
const environment = new Environment({
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
