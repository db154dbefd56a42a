// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { compileExpression } from './compile-expression.ts';

const TRANSFERS = 'event.data.transaction.transfers';

const paid = {
  event_id: 'e',
  type: 'transaction.confirmed',
  is_test_message: false,
  sequence: 5,
  data: {
    transaction: {
      chain_gid: 'eip155:1',
      direction: 'in',
      block_number: 7,
      confirmations: 12,
      memo: null,
      fee: { amount: '0.001', amount_raw: '1' },
      transfers: [
        { type: 'native', from: '0xAb', to: '0x02', amount: '1000.5', amount_raw: '1000000000000000000001' },
        { type: 'internal', from: null, to: '0x03', amount: null, amount_raw: '5' },
      ],
    },
    addresses: [{ label: null, groups: ['vip'], metadata: { shop: '7', limit: 5, list: [1, { a: 2 }] } }],
  },
};
const judge = (text: string, event: object = paid) => compileExpression(text).judge(event);
const refusal = (text: string): string => {
  try {
    compileExpression(text);
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
};

it.each<[string, boolean]>([
  ['event.type == "transaction.confirmed"', true],
  ['event.type in ["transaction.failed", "transaction.reorged"]', false],
  [`${TRANSFERS}.exists(t, amount(t.amount_raw) > 1000000000000000000000)`, true],
  [`${TRANSFERS}.exists(t, amount(t.amount_raw) > 1000000000000000000001)`, false],
  [`${TRANSFERS}.exists(t, amount(t.amount) >= amount("1000.50"))`, true],
  [`amount(${TRANSFERS}[0].amount) == amount("1000.500000000000000001")`, false],
  [`${TRANSFERS}.exists(t, t.from in ["0xAb", "0xCd"])`, true],
  [`${TRANSFERS}.all(t, t.type != "internal")`, false],
  [`${TRANSFERS}.filter(t, t.type == "internal").size() == 1`, true],
  [`${TRANSFERS}.exists_one(t, t.from == null)`, true],
  [`${TRANSFERS}[0].to.lowerAscii().startsWith("0x")`, true],
  ['event.data.transaction.confirmations >= 12 && event.data.transaction.block_number != null', true],
  ['event.data.transaction.memo == null ? event.sequence == 5 : false', true],
  [
    'event.data.transaction.fee != null && amount(event.data.transaction.fee.amount) >= amount("0.001")',
    true,
  ],
  ['null == event.data.transaction.fee', false],
  ['-5 < event.sequence', true],
  ['event.data.addresses.exists(a, "vip" in a.groups && a.metadata.shop == "7")', true],
  ['event.data.addresses.exists(a, a.metadata["limit"] > 4)', true],
  ['has(event.data.channel)', false],
  // As CEL has it: what is decided is not undone by an error beside it.
  ['event.data.channel.name == "x" || event.type == "transaction.confirmed"', true],
  ['event.data.channel.name == "x" && event.type == "transaction.failed"', false],
])('%s is %s', (text, expected) => {
  expect(judge(text)).toEqual({ matches: expected });
});

it.each([
  ['event.data.channel.name == "x"', 'No such key: channel'],
  ['event.data.delta != null', 'No such key: delta'],
  [`${TRANSFERS}[9].to == "x"`, 'No such key: index out of bounds, index 9 >= size 2'],
  [`${TRANSFERS}.all(t, amount(t.amount) > 0)`, 'expected an amount such as "1.5", got null'],
  // As CEL has it: none of the others is true, and one may be.
  [`${TRANSFERS}.exists(t, amount(t.amount) > 5000)`, 'expected an amount such as "1.5", got null'],
  ['event.data.addresses.exists(a, a.metadata.shop)', 'exists(var, predicate) predicate must return bool'],
  ['event.data.addresses[0].metadata.limit', 'expected true or false, got another value'],
])('%s does not match, and says why', (text, fault) => {
  const verdict = judge(text);
  expect(verdict).toEqual({ matches: false, fault: expect.stringContaining(fault) as string });
  expect(verdict.fault!.length).toBeLessThanOrEqual(200);
});

it.each([
  ['event.data.amount > 1000000000000000000000', 'line 1, column 12: events have no such member: "amount"'],
  ['event.type == "x" &&\n  event.nothing == 1', 'line 2, column 9: events have no such member: "nothing"'],
  ['evnt.type == "x"', 'line 1, column 1: unknown name "evnt"; the event is "event"'],
  ['event.type == ', 'line 1, column 15: Unexpected token: EOF'],
  [
    `${TRANSFERS}.exists(t, t.amount > 1000)`,
    'column 44: a string or null > a number has no meaning; amounts',
  ],
  [`${TRANSFERS}.exists(t, t.amount > "1000")`, 'column 44: a string or null > a string has no meaning'],
  [`${TRANSFERS}.exists(t, t.amount == 1000)`, 'column 44: a string or null == a number is never the same'],
  [`${TRANSFERS}.exists(t, amount(t.amount) > 0.5)`, 'expected a decimal number in quotes: amount("0.5")'],
  ['amount(0.5) < amount("1")', 'expected a decimal number in quotes: amount("0.5")'],
  ['amount("1e5") > 1', 'line 1, column 8: expected a decimal number in quotes'],
  ['amount(event.sequence) > 1', 'amount() expects a decimal string such as "0.5", got a number or null'],
  [`${TRANSFERS}.to == "x"`, 'a list has no member "to"; use exists(x, x…) for its items'],
  ['event.type.matches("(a+)+$")', 'regular expressions are not available'],
  ['matches(event.type, "(a+)+$")', 'regular expressions are not available'],
  ['event.type == 5', 'a string == a number is never the same'],
  ['event.data == event.data', 'lists and objects cannot be compared'],
  ['event.data.transaction.fee == event.data.transaction.fee', 'lists and objects cannot be compared'],
  ['event.data == null', 'is never the same'],
  ['event.type', 'expected an expression that is true or false, got a string'],
  ['event.type + "x" == "y"', 'calculations are not available'],
  ['{"a": 1}.a == 1', 'objects are not available'],
  [`${TRANSFERS}.map(t, t.amount) == []`, 'no function map with these arguments'],
  ['cel.bind(x, "a", x == "a")', 'too many arguments'],
  ['dyn(event.type) == 1', 'no function dyn'],
  ['b"x" == b"x"', 'bytes and unsigned numbers are not available'],
  ['event.?type == "x"', 'line 1, column 7'],
])('refuses %j', (text, reason) => {
  expect(refusal(text)).toContain(reason);
});

it('tells an object that is not there from one that is', () => {
  const free = { data: { transaction: { fee: null } } };
  expect(judge('event.data.transaction.fee == null', free)).toEqual({ matches: true });
  expect(judge('event.data.transaction.fee != null', free)).toEqual({ matches: false });
});

describe('amounts', () => {
  const raws = fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n });
  const ORDERS: readonly [string, (a: bigint, b: bigint) => boolean][] = [
    ['==', (a, b) => a === b],
    ['!=', (a, b) => a !== b],
    ['<', (a, b) => a < b],
    ['<=', (a, b) => a <= b],
    ['>', (a, b) => a > b],
    ['>=', (a, b) => a >= b],
  ];
  const of = (amount: string): object => ({ data: { delta: amount } });

  it.each(ORDERS)('%s compares whole numbers of any size as BigInt does', (operator, compare) => {
    fc.assert(
      fc.property(raws, fc.oneof(raws, fc.constant(undefined)), (left, other) => {
        const right = other ?? left;
        const expected = { matches: compare(left, right) };
        const literal = `${right < 0n ? '-' : ''}${right < 0n ? -right : right}`;
        expect(judge(`amount(event.data.delta) ${operator} ${literal}`, of(String(left)))).toEqual(expected);
        expect(judge(`amount(event.data.delta) ${operator} amount("${right}")`, of(String(left)))).toEqual(
          expected,
        );
      }),
    );
  });

  it('compares decimals as their base units', () => {
    const places = fc.integer({ min: 0, max: 30 });
    const write = (raw: bigint, decimals: number): string => {
      const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0');
      const whole = digits.slice(0, digits.length - decimals);
      const fraction = digits.slice(digits.length - decimals);
      return `${raw < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
    };
    fc.assert(
      fc.property(raws, places, raws, places, (left, leftPlaces, right, rightPlaces) => {
        const expected = left * 10n ** BigInt(rightPlaces) < right * 10n ** BigInt(leftPlaces);
        const text = `amount(event.data.delta) < amount("${write(right, rightPlaces)}")`;
        expect(judge(text, of(write(left, leftPlaces)))).toEqual({ matches: expected });
      }),
    );
  });

  it('never makes one of what is none', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'0123456789.-+eE ') })),
        (text) => {
          const isAmount = /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && text.length <= 1024;
          const { matches, fault } = judge('amount(event.data.delta) == amount(event.data.delta)', of(text));
          expect([matches, fault === undefined]).toEqual([isAmount, isAmount]);
        },
      ),
    );
  });
});

/** What an expression of the generated subset says, by the words of the language alone: undefined is an error. */
interface Sample {
  readonly text: string;
  readonly truth: boolean | undefined;
}

describe('against a naive evaluator', () => {
  const event = { type: 'a', sequence: 3, is_test_message: true, data: { delta: '7', label: null } };
  const and = (l: Sample, r: Sample): Sample['truth'] =>
    l.truth === false || r.truth === false
      ? false
      : l.truth === undefined || r.truth === undefined
        ? undefined
        : true;
  const not = ({ truth }: Sample): Sample['truth'] => (truth === undefined ? undefined : !truth);
  const literal = fc.constantFrom('a', 'b');
  const leaf: fc.Arbitrary<Sample> = fc.oneof(
    fc.boolean().map((truth) => ({ text: String(truth), truth })),
    fc.constant({ text: 'event.is_test_message', truth: true }),
    fc.constant({ text: 'event.data.is_confirmed', truth: undefined }),
    literal.map((word) => ({ text: `event.type == "${word}"`, truth: word === 'a' })),
    fc
      .array(literal, { minLength: 1, maxLength: 3 })
      .map((words) => ({ text: `event.type in ${JSON.stringify(words)}`, truth: words.includes('a') })),
    fc.integer({ min: -9, max: 9 }).map((n) => ({ text: `event.sequence > ${n}`, truth: n < 3 })),
    fc.integer({ min: -9, max: 9 }).map((n) => ({ text: `amount(event.data.delta) <= ${n}`, truth: n >= 7 })),
    fc
      .integer({ min: 0, max: 9 })
      .map((n) => ({ text: `amount(event.data.previous) <= ${n}`, truth: undefined })),
  );
  const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
    sample: fc.oneof(
      { maxDepth: 5 },
      leaf,
      tie('sample').map((one) => ({ text: `!(${one.text})`, truth: not(one) })),
      fc
        .tuple(tie('sample'), tie('sample'))
        .map(([l, r]) => ({ text: `(${l.text} && ${r.text})`, truth: and(l, r) })),
      fc.tuple(tie('sample'), tie('sample')).map(([l, r]) => ({
        text: `(${l.text} || ${r.text})`,
        // De Morgan.
        truth: not({ text: '', truth: and({ text: '', truth: not(l) }, { text: '', truth: not(r) }) }),
      })),
      fc.tuple(tie('sample'), tie('sample'), tie('sample')).map(([c, l, r]) => ({
        text: `(${c.text} ? ${l.text} : ${r.text})`,
        truth: c.truth === undefined ? undefined : c.truth ? l.truth : r.truth,
      })),
    ),
  }));

  it('agrees, and an error never matches', () => {
    fc.assert(
      fc.property(sample, ({ text, truth }) => {
        fc.pre(text.length <= 2_000);
        const { matches, fault } = judge(text, event);
        expect([matches, fault !== undefined]).toEqual([truth === true, truth === undefined]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('what is hostile', () => {
  const nest = (depth: number): string =>
    depth === 0 ? 'true' : `${TRANSFERS}.exists(x${depth}, ${nest(depth - 1)})`;

  it.each([
    ['parentheses', `${'('.repeat(900)}true${')'.repeat(900)}`, 'nested too deep'],
    ['negations', `${'!'.repeat(1_999)}true`, 'too long'],
    ['minus signs', `${'-'.repeat(1_999)}1 == 1`, 'too long'],
    ['members', `event${'.data'.repeat(390)} == 1`, 'nested too deep'],
    ['a chain of or', Array.from({ length: 330 }, () => 'true').join('||'), 'too long'],
    ['a long list', `event.type in [${Array.from({ length: 101 }, () => '""').join(',')}]`, 'too many items'],
    ['loops in loops', nest(2), 'too costly'],
    ['loops in loops, deeper', nest(12), 'nested too deep'],
    ['loops over metadata', `event.data.addresses.exists(a, a.metadata.l.exists(x, true))`, 'too costly'],
    [
      'lists in loops',
      `${TRANSFERS}.exists(t, t.to in ["${Array.from({ length: 90 }, (_, n) => n).join('","')}"])`,
      'too costly',
    ],
    ['a search for what is long', `event.type.contains("${'a'.repeat(201)}")`, 'at most 200 characters'],
    [
      'a search for what a tenant writes',
      'event.data.addresses[0].metadata.x.contains(event.data.addresses[0].metadata.y)',
      'contains expects a text in quotes',
    ],
    [
      'many searches in a loop',
      `event.data.addresses.exists(a, ${Array.from({ length: 5 }, () => 'a.metadata.x.contains("aaabaa")').join('||')})`,
      'too costly',
    ],
    ['strings that double', '["a"].map(a, a + a).map(a, a + a) == []', 'line 1'],
    ['an open string', `event.type == "${'a'.repeat(1_900)}`, 'Unterminated string'],
    ['a prototype', 'event.__proto__ == null', 'no such member: "__proto__"'],
    ['a prototype by index', 'event["__proto__"] == null', 'no such member: "__proto__"'],
    ['a constructor', 'event.constructor.constructor("return 1")() == 1', 'line 1'],
    ['a constructor by index', 'event["constructor"] == null', 'no such member: "constructor"'],
    ['the global object', 'globalThis.process == null', 'unknown name "globalThis"'],
    ['a name of the language', '__proto__ == null', 'Reserved identifier'],
    ['a type', 'type(event) == type(event)', 'no function type'],
    ['JSON in bytes', 'b"{}".json() == b"{}".json()', 'no function json'],
  ])('%s are refused', (_name, text, reason) => {
    expect(refusal(text)).toContain(reason);
  });

  it.each([
    'event.data.addresses.exists(a, a.metadata.__proto__ == null)',
    'event.data.addresses.exists(a, a.metadata.constructor == null)',
    'event.data.addresses.exists(a, a.metadata["toString"] != null)',
    'event.data.addresses.exists(a, has(a.metadata.hasOwnProperty))',
  ])('%s sees own members alone', (text) => {
    expect(judge(text).matches).toBe(false);
  });

  it.each([
    JSON.parse('{"__proto__": {"shop": "7"}}') as object,
    { constructor: 'x' },
    { constructor: null, shop: '8' },
    { toString: 'x' },
    { shop: { toString: 'x' } },
  ])('metadata %j of a stranger matches nothing by itself', (metadata) => {
    const event = { data: { addresses: [{ metadata }] } };
    expect(judge('event.data.addresses.exists(a, a.metadata.shop == "7")', event).matches).toBe(false);
  });

  it.each(['vip', 'v'.repeat(200)])('%s may be searched for in the metadata of each address', (sought) => {
    const text = `event.data.addresses.exists(a, a.metadata.shop.contains("${sought}"))`;
    expect(refusal(text)).toBe('accepted');
    const event = { data: { addresses: [{ metadata: { shop: `my ${sought} shop` } }] } };
    expect(judge(text, event)).toEqual({ matches: true });
  });

  it('the dearest one that is accepted takes no more steps than it may', () => {
    const senders = Array.from({ length: 40 }, (_, n) => `"0x${String(n).padStart(40, '0')}"`).join(',');
    const text = `${TRANSFERS}.exists(t, t.from in [${senders}])`;
    const transfers = Array.from({ length: 100 }, () => ({ from: 'nobody' }));
    expect(judge(text, { data: { transaction: { transfers } } })).toEqual({ matches: false });
  });

  it('leaves stack traces of others as they are', () => {
    const before = Error.stackTraceLimit;
    judge('event.data.channel.name == "x"');
    expect(Error.stackTraceLimit).toBe(before);
  });
});

it('compiles a text once', () => {
  const text = 'event.type == "once"';
  expect(compileExpression(text)).toBe(compileExpression(text));
});
