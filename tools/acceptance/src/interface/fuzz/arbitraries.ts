// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { hostileJson, hostileText } from './hostile.ts';

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Vocabulary {
  /** What is there to ask for, by the name of the parameter or the member. */
  readonly known: Readonly<Record<string, readonly unknown[]>>;
  /** `components.schemas` of the document. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/** Values that mostly fit a request schema, with something hostile in one place or another. */
export function nearlyValid(schema: JsonSchema, name: string, words: Vocabulary): fc.Arbitrary<unknown> {
  const weight = schema.properties ? 60 : 20;
  return fc.oneof(
    { weight, arbitrary: fittingValues(schema, name, words) },
    { weight: 1, arbitrary: hostileJson },
    { weight: 1, arbitrary: fc.constantFrom(null, ...beyondLimits(schema)) },
  );
}

function fittingValues(schema: JsonSchema, name: string, words: Vocabulary): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return fittingValues(words.components[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)]!, name, words);
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives) return fc.oneof(...alternatives.map((inner) => nearlyValid(inner, name, words)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const known = words.known[name];
  if (known && schema.type !== 'array') return fc.constantFrom(...known);
  if (schema.properties) return objects(schema.properties, new Set(schema.required), words);
  if (typeof schema.additionalProperties === 'object') {
    return fc.dictionary(
      fc.oneof(fc.string({ maxLength: 20 }), hostileText),
      nearlyValid(schema.additionalProperties, name, words),
      { maxKeys: 4 },
    );
  }
  if (schema.type === 'array')
    return fc.array(nearlyValid(schema.items ?? {}, singular(name), words), {
      minLength: Math.min(schema.minItems ?? 0, 3),
      maxLength: 4,
    });
  if (schema.type === 'integer' || schema.type === 'number') return numbers(schema);
  if (schema.type === 'boolean') return fc.boolean();
  return strings(schema);
}

function objects(
  properties: Readonly<Record<string, JsonSchema>>,
  required: ReadonlySet<string>,
  words: Vocabulary,
): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, schema]) =>
    fc
      .tuple(fc.nat({ max: 29 }), nearlyValid(schema, name, words))
      .map(([dice, value]) => (dice < (required.has(name) ? 29 : 8) ? [[name, value] as const] : [])),
  );
  const extra = fc
    .tuple(fc.nat({ max: 24 }), hostileText, hostileJson)
    .map(([dice, name, value]) => (dice === 0 ? [[name, value] as const] : []));
  return fc.tuple(...members, extra).map((entries) => Object.fromEntries(entries.flat()));
}

function numbers({ minimum = -10, maximum = 1_000 }: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.max(minimum, Math.min(maximum, minimum + 1_000)) }),
  );
}

function strings(schema: JsonSchema): fc.Arbitrary<unknown> {
  // Literal private addresses only: no test asks a resolver about a made-up name.
  if (schema.format === 'uri')
    return fc.constantFrom(
      'https://10.1.2.3/hook',
      'http://192.168.0.1:8545',
      'wss://[fd00::1]/',
      'https://10.0.0.1/\u00e9?q=%zz#f',
      'http://10.0.0.1:99999/',
    );
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  const { minLength = 0, maxLength = 30 } = schema;
  return fc.oneof(
    fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) }),
    fc.constantFrom(
      'x'.repeat(minLength),
      'é'.repeat(Math.min(maxLength, 5_000)),
      '𝒳'.repeat(Math.min(Math.ceil(maxLength / 2), 2_500)),
    ),
    fc.integer().map(String),
    fc.constantFrom('true', 'false', '1', '20'),
  );
}

/** The nearest values that a schema refuses. */
function beyondLimits(schema: JsonSchema): unknown[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  return [
    ...(minimum === undefined ? [] : [minimum - 1, minimum + 0.5, -minimum]),
    ...(maximum === undefined ? [] : [maximum + 1, maximum * 1e6]),
    ...(minLength === undefined || minLength === 0 ? [] : ['x'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minItems === undefined || minItems === 0 ? [] : [[]]),
    ...(maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, (_, index) => `${index}`)]),
  ];
}

/** `chain_gids` → `chain_gid`, `addresses` → `address`. */
function singular(name: string): string {
  return name.replace(/sses$/, 'ss').replace(/(?<!s)s$/, '');
}
