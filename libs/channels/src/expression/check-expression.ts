// SPDX-License-Identifier: Apache-2.0
// cspell:ignore rcall aaabaa
import type { ASTNode } from '@marcbachmann/cel-js';
import { DECIMAL_PATTERN } from '@chainwatch/common/amounts';
import { EVENT_ITEMS_MAX, eventShape } from '@chainwatch/events';
import { ExpressionError } from './expression-error.ts';
import {
  AMOUNT,
  ANY,
  BOOLEAN,
  faultOfComparison,
  mayBe,
  nameKinds,
  NUMBER,
  STRING,
  type Operand,
} from './operand-types.ts';

/** Most steps with the longest event. */
const STEPS_MAX = 10_000;
/** Of lists in events that are shorter than others. */
const SIZES: Readonly<Record<string, number>> = { groups: 20, monitored_addresses: 2, changes: 9 };
/** Of a list in a user's metadata, which has 4 KiB. */
const ANY_SIZE = 2_048;
/** What costs more than a step: a text may have 4 KiB, an amount hundreds of digits. */
const LONG_STEP = 10;
/** A search at its worst: of `aaabaa` in a text of many `a`. */
const SEARCH_STEPS = 25;
/** Of the text that is searched for. */
const SOUGHT_MAX = 200;

const TEXT_METHODS: Readonly<Record<string, { readonly arity: number; readonly result: Operand }>> = {
  startsWith: { arity: 1, result: BOOLEAN },
  endsWith: { arity: 1, result: BOOLEAN },
  contains: { arity: 1, result: BOOLEAN },
  lowerAscii: { arity: 0, result: STRING },
  upperAscii: { arity: 0, result: STRING },
};
const MACROS = new Set(['exists', 'exists_one', 'all', 'filter']);
const AVAILABLE =
  'available are amount, has, size, startsWith, endsWith, contains, lowerAscii, upperAscii, exists, exists_one, all, and filter';

type Scope = ReadonlyMap<string, Operand>;

/**
 * Refuses what no event has, what has no meaning, and what costs too much. What is left makes no value that is longer
 * than the event.
 *
 * @throws ExpressionError
 */
export function checkExpression(text: string, root: ASTNode): void {
  const check = new Check(text);
  const result = check.read(root, new Map([['event', eventShape()]]), 1);
  if (!mayBe(result, 'boolean'))
    throw check.refuse(root, `expected an expression that is true or false, got ${nameKinds(result)}`);
}

class Check {
  readonly #text: string;
  #steps = 0;

  constructor(text: string) {
    this.#text = text;
  }

  refuse({ start }: Pick<ASTNode, 'start'>, reason: string): ExpressionError {
    return new ExpressionError(this.#text, start, reason);
  }

  /** @param times how often it runs */
  read(node: ASTNode, scope: Scope, times: number): Operand {
    this.#count(node, times);
    switch (node.op) {
      case 'value':
        return this.#readValue(node, node.args);
      case 'id': {
        const found = scope.get(node.args);
        if (found === undefined) throw this.refuse(node, `unknown name "${node.args}"; the event is "event"`);
        return found;
      }
      case '.':
        return this.#readMember(node, {
          of: this.read(node.args[0], scope, times),
          name: node.args[1],
          times,
        });
      case '[]':
        return this.#readIndex(node, scope, times);
      case 'list':
        return this.#readList(node.args, scope, times);
      case 'call':
        return this.#readCall(node, { call: node.args, scope, times });
      case 'rcall':
        return this.#readMethod(node, { call: node.args, scope, times });
      case '!_':
        this.#readBoolean(node.args, scope, times);
        return BOOLEAN;
      case '&&':
      case '||':
        for (const side of node.args) this.#readBoolean(side, scope, times);
        return BOOLEAN;
      case '-_':
        if (node.args.op === 'value' && mayBe(this.read(node.args, scope, times), 'number')) return NUMBER;
        throw this.#refuseOperator(node);
      case '?:':
        return this.#readChoice(node.args, scope, times);
      case 'in':
        return this.#readIn(node, scope, times);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#readComparison(node, scope, times);
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
      case 'map':
      case '.?':
      case '[?]':
        throw this.#refuseOperator(node);
    }
  }

  #refuseOperator(node: ASTNode): ExpressionError {
    const what = node.op === 'map' ? 'objects' : 'calculations';
    return this.refuse(node, `${what} are not available in expressions`);
  }

  #count(node: ASTNode, steps: number): void {
    this.#steps += steps;
    if (this.#steps <= STEPS_MAX) return;
    throw this.refuse(
      node,
      `too costly: with the longest event it takes more than ${STEPS_MAX.toLocaleString('en')} steps`,
    );
  }

  #readValue(node: ASTNode, value: unknown): Operand {
    if (value === null) return { kinds: new Set(['null']) };
    if (typeof value === 'bigint' || typeof value === 'number') return NUMBER;
    if (typeof value === 'string' || typeof value === 'boolean')
      return { kinds: new Set([typeof value as 'string' | 'boolean']) };
    throw this.refuse(node, 'bytes and unsigned numbers are not available in expressions');
  }

  #readMember(
    node: ASTNode,
    { of, name, times }: { readonly of: Operand; readonly name: string; readonly times: number },
  ): Operand {
    if (!mayBe(of, 'object')) {
      const advice = mayBe(of, 'list') ? '; use exists(x, x…) for its items' : '';
      throw this.refuse({ start: node.pos }, `${nameKinds(of)} has no member "${name}"${advice}`);
    }
    if (of.members === undefined) {
      this.#count(node, times * LONG_STEP);
      return ANY;
    }
    const member = of.members.get(name);
    if (member === undefined) throw this.refuse({ start: node.pos }, `events have no such member: "${name}"`);
    return mayBe(member, 'list') && member.kinds !== undefined
      ? { ...member, size: SIZES[name] ?? EVENT_ITEMS_MAX }
      : member;
  }

  #readIndex(node: ASTNode & { readonly op: '[]' }, scope: Scope, times: number): Operand {
    const [left, index] = node.args;
    const of = this.read(left, scope, times);
    const at = this.read(index, scope, times);
    if (index.op === 'value' && typeof index.args === 'string')
      return this.#readMember(index, { of, name: index.args, times });
    if (mayBe(of, 'list') && mayBe(at, 'number')) return of.items ?? ANY;
    throw this.refuse(index, 'expected a position in a list, or the name of a member in quotes');
  }

  #readList(items: readonly ASTNode[], scope: Scope, times: number): Operand {
    const types = items.map((item) => this.read(item, scope, times));
    return { kinds: new Set(['list']), items: types[0] ?? ANY, size: items.length };
  }

  #readCall(
    node: ASTNode,
    {
      call: [name, given],
      scope,
      times,
    }: {
      readonly call: readonly [string, readonly ASTNode[]];
      readonly scope: Scope;
      readonly times: number;
    },
  ): Operand {
    const [argument, ...rest] = given;
    if (argument === undefined || rest.length > 0 || !['amount', 'has', 'size'].includes(name))
      throw this.#refuseCall(node, name);
    if (name === 'size') return this.#readSize(node, this.read(argument, scope, times), times);
    if (name === 'has') {
      if (argument.op !== '.')
        throw this.refuse(argument, 'has() expects a member: has(event.data.transaction)');
      this.read(argument, scope, times);
      return BOOLEAN;
    }
    const of = this.read(argument, scope, times);
    this.#count(node, times * LONG_STEP);
    const isExact = argument.op !== 'value' || !isInexact(argument.args);
    if (mayBe(of, 'string') || (mayBe(of, 'number') && argument.op === 'value')) {
      if (isExact) return AMOUNT;
      throw this.refuse(argument, 'expected a decimal number in quotes: amount("0.5")');
    }
    throw this.refuse(argument, `amount() expects a decimal string such as "0.5", got ${nameKinds(of)}`);
  }

  #refuseCall(node: ASTNode, name: string): ExpressionError {
    if (name === 'matches')
      return this.refuse(
        { start: node.pos },
        'regular expressions are not available; use startsWith, endsWith, or contains',
      );
    return this.refuse({ start: node.pos }, `no function ${name} with these arguments; ${AVAILABLE}`);
  }

  #readSize(node: ASTNode, of: Operand, times: number): Operand {
    this.#count(node, times * LONG_STEP);
    if (mayBe(of, 'string', 'list', 'object')) return NUMBER;
    throw this.refuse(node, `size() expects a string, a list, or an object, got ${nameKinds(of)}`);
  }

  #readMethod(
    node: ASTNode,
    {
      call: [name, receiver, given],
      scope,
      times,
    }: {
      readonly call: readonly [string, ASTNode, readonly ASTNode[]];
      readonly scope: Scope;
      readonly times: number;
    },
  ): Operand {
    if (MACROS.has(name) && given.length === 2)
      return this.#readMacro(name, { receiver, given, scope, times });
    const method = Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined;
    const isSize = name === 'size' && given.length === 0;
    if (!isSize && method?.arity !== given.length) throw this.#refuseCall(node, name);
    const of = this.read(receiver, scope, times);
    if (isSize) return this.#readSize(node, of, times);
    this.#count(node, times * LONG_STEP);
    if (!mayBe(of, 'string')) throw this.refuse(receiver, `${name} expects a string, got ${nameKinds(of)}`);
    if (name === 'contains') this.#readSearch(node, given[0]!, times);
    for (const argument of given) {
      const type = this.read(argument, scope, times);
      if (!mayBe(type, 'string'))
        throw this.refuse(argument, `${name} expects a string, got ${nameKinds(type)}`);
    }
    return method!.result;
  }

  /** What is searched for is known now: the engine's search is quadratic where both texts are long. */
  #readSearch(node: ASTNode, sought: ASTNode, times: number): void {
    if (sought.op !== 'value') throw this.refuse(sought, 'contains expects a text in quotes');
    if (typeof sought.args === 'string' && sought.args.length > SOUGHT_MAX)
      throw this.refuse(
        sought,
        `contains expects at most ${SOUGHT_MAX} characters, got ${sought.args.length}`,
      );
    this.#count(node, times * SEARCH_STEPS);
  }

  #readMacro(
    name: string,
    {
      receiver,
      given: [variable, body],
      scope,
      times,
    }: {
      readonly receiver: ASTNode;
      readonly given: readonly ASTNode[];
      readonly scope: Scope;
      readonly times: number;
    },
  ): Operand {
    const of = this.read(receiver, scope, times);
    if (!mayBe(of, 'list')) throw this.refuse(receiver, `${name} expects a list, got ${nameKinds(of)}`);
    if (variable!.op !== 'id') throw this.refuse(variable!, `${name} expects a name: ${name}(x, x…)`);
    const inner = new Map([...scope, [variable!.args, of.items ?? ANY] as const]);
    this.#readBoolean(body!, inner, times * (of.size ?? ANY_SIZE));
    return name === 'filter' ? of : BOOLEAN;
  }

  #readBoolean(node: ASTNode, scope: Scope, times: number): void {
    const type = this.read(node, scope, times);
    if (!mayBe(type, 'boolean')) throw this.refuse(node, `expected true or false, got ${nameKinds(type)}`);
  }

  #readChoice([condition, ...branches]: readonly ASTNode[], scope: Scope, times: number): Operand {
    this.#readBoolean(condition!, scope, times);
    const [left, right] = branches.map((branch) => this.read(branch, scope, times));
    const { kinds } = left!;
    // Lists would lose their bound.
    const isPlain = [left!, right!].every(
      (type) => type.kinds !== undefined && !mayBe(type, 'list', 'object'),
    );
    return isPlain ? { kinds: new Set([...kinds!, ...right!.kinds!]) } : ANY;
  }

  #readIn(node: ASTNode & { readonly op: 'in' }, scope: Scope, times: number): Operand {
    const [item, list] = node.args;
    const wanted = this.read(item, scope, times);
    const of = this.read(list, scope, times);
    this.#count(node, times * (of.size ?? (of.kinds === undefined ? ANY_SIZE : 1)));
    if (!mayBe(of, 'list', 'object')) throw this.refuse(list, `in expects a list, got ${nameKinds(of)}`);
    const fault = of.items && faultOfComparison('==', wanted, of.items);
    if (fault !== undefined) throw this.refuse(node, fault);
    return BOOLEAN;
  }

  #readComparison(
    node: ASTNode & { readonly args: readonly [ASTNode, ASTNode] },
    scope: Scope,
    times: number,
  ): Operand {
    const [left, right] = node.args.map((side) => this.read(side, scope, times));
    const fault = faultOfComparison(node.op, left!, right!);
    if (fault !== undefined) throw this.refuse(node, fault);
    const rounded = node.args.find((side) => side.op === 'value' && typeof side.args === 'number');
    if (rounded !== undefined && [left, right].some((side) => side === AMOUNT))
      throw this.refuse(rounded, 'expected a decimal number in quotes: amount("0.5")');
    return BOOLEAN;
  }
}

/** A literal that is no exact amount. */
const isInexact = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && !DECIMAL_PATTERN.test(value));
