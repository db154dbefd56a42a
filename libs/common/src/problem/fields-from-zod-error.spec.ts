// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { z } from 'zod';
import { fieldsFromZodError } from './fields-from-zod-error.ts';

function fieldsOf(schema: z.ZodType, input: unknown, prefix?: string, knowsInput = true) {
  const { error } = schema.safeParse(input);
  if (error === undefined) throw new Error('expected the schema to refuse the input');
  return fieldsFromZodError(error, prefix, knowsInput ? { input } : {});
}
const reasonOf = (schema: z.ZodType, input: unknown) =>
  fieldsOf(z.object({ v: schema }), { v: input })[0]?.reason;

describe('reasons', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['type', z.string(), 1, 'expected a string, got number'],
    ['type of null', z.string(), null, 'expected a string, got null'],
    ['type of array', z.object({}), [], 'expected an object, got array'],
    ['missing', z.string(), undefined, 'expected a string, got nothing'],
    ['integer', z.int(), 1.5, 'expected an integer, got 1.5'],
    ['safe integer', z.int(), 2 ** 54, 'expected at most 9007199254740991, got 18014398509481984'],
    ['NaN', z.coerce.number(), 'x', 'expected a number, got string'],
    ['never', z.never(), 1, 'expected no value, got number'],
    ['instance', z.instanceof(Uint8Array), 1, 'expected Uint8Array, got number'],
    ['short string', z.string().min(3), 'ab', 'expected at least 3 characters, got 2'],
    ['empty string', z.string().min(1), '', 'expected at least 1 character, got 0'],
    ['long string', z.string().max(2), 'abc', 'expected at most 2 characters, got 3'],
    ['exact string', z.string().length(2), 'abc', 'expected exactly 2 characters, got 3'],
    ['short array', z.array(z.int()).min(1), [], 'expected at least 1 item, got 0'],
    ['long tuple', z.tuple([z.int()]), [1, 2], 'expected at most 1 item, got 2'],
    ['big set', z.set(z.int()).max(1), new Set([1, 2]), 'expected at most 1 item, got 2'],
    ['small number', z.number().min(1), 0, 'expected at least 1, got 0'],
    ['open limits', z.number().gt(5), 5, 'expected more than 5, got 5'],
    ['open limits', z.number().lt(5), 5, 'expected less than 5, got 5'],
    ['bigint', z.bigint().min(5n), 1n, 'expected at least 5, got 1'],
    [
      'date',
      z.date().min(new Date(0)),
      new Date(-1),
      'expected a date at least 1970-01-01T00:00:00.000Z, got object',
    ],
    ['multiple', z.number().multipleOf(2), 3, 'expected a multiple of 2, got 3'],
    ['UUID', z.uuid(), 'x', 'expected a UUID, got "x"'],
    ['URL', z.url(), 'x', 'expected a URL, got "x"'],
    ['date-time', z.iso.datetime(), 'x', 'expected a date and time such as "2026-01-31T12:00:00Z", got "x"'],
    ['pattern', z.string().regex(/^a/), 'x', 'expected text that matches /^a/, got "x"'],
    ['prefix', z.string().startsWith('q'), 'x', 'expected text that starts with "q", got "x"'],
    ['suffix', z.string().endsWith('q'), 'x', 'expected text that ends with "q", got "x"'],
    ['part', z.string().includes('q'), 'x', 'expected text that contains "q", got "x"'],
    [
      'other format',
      z.templateLiteral(['a', z.number()]),
      'b',
      'expected text of format template_literal, got "b"',
    ],
    ['enum', z.enum(['a', 'b']), 'x', 'expected one of "a", "b", got "x"'],
    ['literal', z.literal('a'), 'x', 'expected "a", got "x"'],
    ['literals', z.literal([1, null]), 'x', 'expected one of 1, null, got "x"'],
    ['union of types', z.union([z.string(), z.int()]), true, 'expected a string, or a number, got boolean'],
    ['union of formats', z.union([z.uuid(), z.ipv4()]), 'x', 'expected a UUID, got "x"'],
    [
      'exclusive union',
      z.xor([z.string(), z.string()]),
      'x',
      'expected a value of one kind only, got one that fits several',
    ],
    ['refinement', z.string().refine(() => false, 'expected a nicer text'), 'x', 'expected a nicer text'],
    ['bare refinement', z.string().refine(() => false), 'x', 'expected a valid value, got "x"'],
    ['own message', z.string().min(5, 'expected more'), 'x', 'expected more'],
    ['long value', z.uuid(), 'y'.repeat(5000), `expected a UUID, got "${'y'.repeat(80)}"… (5000 characters)`],
  ])('%s', (_, schema, input, reason) => {
    expect(reasonOf(schema, input)).toBe(reason);
  });

  it('do without the input where it is not known', () => {
    const schema = z.object({ a: z.string(), b: z.string().min(3), c: z.enum(['x']), d: z.int() });
    expect(fieldsOf(schema, { a: 1, b: '', c: '', d: 'x' }, '', false)).toEqual([
      { name: 'a', reason: 'expected a string, got number' },
      { name: 'b', reason: 'expected at least 3 characters' },
      { name: 'c', reason: 'expected "x"' },
      { name: 'd', reason: 'expected a number, got string' },
    ]);
  });
});

it('never repeat what stands under a sensitive name', () => {
  const schema = z.object({
    bot_token: z.string().regex(/^a/),
    endpoint_url: z.url(),
    config: z.object({
      headers: z.record(z.string(), z.enum(['a'])),
      auth: z.object({ type: z.enum(['none']) }),
    }),
    extended_public_key: z.union([z.uuid(), z.ipv4()]),
  });
  const fields = fieldsOf(schema, {
    bot_token: 'hunter2',
    endpoint_url: 'hunter2',
    config: { headers: { 'X-Mine': 'hunter2' }, auth: { type: 'hunter2' } },
    extended_public_key: 'hunter2',
  });
  expect(fields).toHaveLength(5);
  expect(JSON.stringify(fields)).not.toContain('hunter2');
});

describe('names', () => {
  const schema = z.strictObject({
    list: z.array(z.strictObject({ n: z.int() })),
    by_gid: z.record(z.string(), z.int()).optional(),
  });

  it('are paths with indexes', () => {
    expect(
      fieldsOf(schema, { list: [{ n: 1 }, { n: 'x' }], by_gid: { 'eip155:1': 'x' } }).map(({ name }) => name),
    ).toEqual(['list[1].n', 'by_gid["eip155:1"]']);
  });

  it('name an unknown key itself, at any depth', () => {
    expect(fieldsOf(schema, { list: [{ n: 1, z: 1 }], 'x y': 1, q: 2 })).toEqual([
      { name: 'list[0].z', reason: 'expected no such field' },
      { name: 'x y', reason: 'expected no such field' },
      { name: 'q', reason: 'expected no such field' },
    ]);
  });

  it('stand under the prefix', () => {
    expect(fieldsOf(schema, { list: 1 }, 'config')[0]?.name).toBe('config.list');
    expect(fieldsOf(z.array(z.int()), ['x'], 'items')[0]?.name).toBe('items[0]');
    expect(fieldsOf(schema, 1, 'config')[0]?.name).toBe('config');
  });

  it('are "body" for the whole value', () => {
    expect(fieldsOf(schema, [])).toEqual([{ name: 'body', reason: 'expected an object, got array' }]);
  });

  it('are the key for a key that does not fit', () => {
    expect(fieldsOf(z.object({ r: z.record(z.string().regex(/^a/), z.int()) }), { r: { b: 1 } })).toEqual([
      { name: 'r.b', reason: 'in the key: expected text that matches /^a/, got "b"' },
    ]);
  });

  it('are shortened when a stranger sends a long key', () => {
    expect(fieldsOf(z.strictObject({}), { ['k'.repeat(9999)]: 1 })[0]?.name).toBe(`${'k'.repeat(100)}…`);
  });
});

describe('unions', () => {
  const byKind = z.object({
    config: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), v: z.int() }),
      z.object({ kind: z.literal('b') }),
    ]),
  });

  it('name the discriminator and its options', () => {
    expect(fieldsOf(byKind, { config: { kind: 'z' } })).toEqual([
      { name: 'config.kind', reason: 'expected one of "a", "b", got "z"' },
    ]);
    expect(fieldsOf(byKind, { config: {} })).toEqual([
      { name: 'config.kind', reason: 'expected one of "a", "b", got nothing' },
    ]);
    expect(fieldsOf(byKind, { config: { kind: 'a', v: 'x' } })).toEqual([
      { name: 'config.v', reason: 'expected a number, got string' },
    ]);
  });

  it('explain the alternative that fits best', () => {
    const either = z.object({
      u: z.union([
        z.strictObject({ indexes: z.array(z.int()) }),
        z.strictObject({ from: z.int(), to: z.int() }),
      ]),
    });
    expect(fieldsOf(either, { u: { from: 1, to: 'x' } })).toEqual([
      { name: 'u.to', reason: 'expected a number, got string' },
    ]);
  });
});

it('reasons of any JSON against a strict schema begin with "expected", and every name is filled', () => {
  const schema = z.strictObject({
    gid: z.string().regex(/^[a-z]+$/),
    limit: z.int().min(1).max(100).optional(),
    kind: z.enum(['nats', 'webhook']),
    config: z.union([z.strictObject({ url: z.url() }), z.array(z.uuid()).min(1)]),
  });
  const values = fc.oneof(
    fc.jsonValue(),
    fc.record({ gid: fc.jsonValue(), limit: fc.jsonValue(), kind: fc.jsonValue(), config: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(values, fc.boolean(), (input, knowsInput) => {
      const { error } = schema.safeParse(input);
      if (error === undefined) return;
      const fields = fieldsFromZodError(error, '', knowsInput ? { input } : {});
      expect(fields.length).toBeGreaterThan(0);
      for (const { name, reason } of fields) {
        expect(name).not.toBe('');
        expect(reason).toMatch(/^expected /);
      }
    }),
    { numRuns: 1000 },
  );
});
