import fc from 'fast-check';
import { z } from 'zod';

/** What clients send by mistake or malice. */
const hostileText = fc.oneof(
  fc.constantFrom(
    '', ' ', '\u0000', 'a\u0000b', '\ud800', '\u202e', '%00', '%zz', '%', '../../etc/passwd', "' OR 1=1 --", '"; DROP TABLE addresses; --', '${7*7}',
    '<script>alert(1)</script>', 'null', 'undefined', 'NaN', '-1', '0x10', '1e309', '9007199254740993', '99999999999999999999999999', 'true', '[]', '{}',
    '__proto__', 'constructor', 'toString', 'eip155:1', 'eip155:999999999999999999999999999999', 'tron:mainnet', 'slip44:60', 'erc20:0x0', '𝒳'.repeat(50),
    'x'.repeat(300), 'y'.repeat(5_000), 'http://169.254.169.254/', 'http://[::ffff:127.0.0.1]/', 'file:///etc/passwd', 'javascript:1', '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z', '2026-02-30T00:00:00Z', '00000000-0000-0000-0000-000000000000',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
);

const deep = fc.integer({ min: 1, max: 200 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.double(),
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[]], { $gt: '' }),
  deep,
  fc.array(hostileText, { maxLength: 200 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 5 }),
);

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
}

/** Values that mostly fit a request schema, with something hostile in one place or another. */
export function nearlyValid(schema: z.ZodType, known: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<unknown> {
  return fromJsonSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema, '', known);
}

function fromJsonSchema(schema: JsonSchema, name: string, known: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<unknown> {
  const fitting = fittingValues(schema, name, known);
  return fc.oneof({ weight: schema.properties ? 40 : 12, arbitrary: fitting }, { weight: 1, arbitrary: hostileJson });
}

function fittingValues(schema: JsonSchema, name: string, known: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (alternatives) return fc.oneof(...alternatives.map((inner) => fromJsonSchema(inner, name, known)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const values = known[name];
  if (values) return fc.constantFrom(...values);
  if (schema.properties) return objects(schema.properties, new Set(schema.required), known);
  if (typeof schema.additionalProperties === 'object') {
    return fc.dictionary(fc.oneof(fc.string({ maxLength: 20 }), hostileText), fromJsonSchema(schema.additionalProperties, name, known), { maxKeys: 4 });
  }
  if (schema.type === 'array') return fc.array(fromJsonSchema(schema.items ?? {}, name, known), { maxLength: 4 });
  if (schema.type === 'integer' || schema.type === 'number') return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1_000, 1_000) });
  if (schema.type === 'boolean') return fc.boolean();
  return strings(schema);
}

function objects(properties: Readonly<Record<string, JsonSchema>>, required: ReadonlySet<string>, known: Readonly<Record<string, readonly string[]>>) {
  const members = Object.entries(properties).map(([name, schema]) =>
    fc
      .tuple(fc.nat({ max: 29 }), fromJsonSchema(schema, name, known))
      .map(([dice, value]) => (dice < (required.has(name) ? 29 : 8) ? [[name, value] as const] : [])),
  );
  const extra = fc.tuple(fc.nat({ max: 19 }), hostileText, hostileJson).map(([dice, name, value]) => (dice === 0 ? [[name, value] as const] : []));
  return fc.tuple(...members, extra).map((entries) => Object.fromEntries(entries.flat()));
}

function strings(schema: JsonSchema): fc.Arbitrary<unknown> {
  // Literal private addresses only: no test asks a resolver about a made-up name.
  if (schema.format === 'uri') return fc.constantFrom('https://10.1.2.3/hook', 'http://192.168.0.1:8545', 'wss://[fd00::1]/', 'https://10.0.0.1/\u00e9?q=%zz#f', 'http://10.0.0.1:99999/');
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.oneof(fc.string({ maxLength: 30 }), fc.integer().map(String), fc.constantFrom('true', 'false', '1', '20'));
}
