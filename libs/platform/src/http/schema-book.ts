// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface SchemaBook {
  /** The JSON Schema of what clients send (`input`) or receive (`output`); named schemas inside are references. */
  describe(schema: z.ZodType, side: 'input' | 'output'): JsonSchema;
  /**
   * A reference to a schema of `describe` under the first of the names that is free, or is that very schema already.
   * @throws RangeError if every name is another schema's
   */
  name(schema: JsonSchema, names: readonly string[]): JsonSchema;
  /** The named schemas referred to so far, for `components.schemas`. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/**
 * Converts zod schemas to JSON Schema 2020-12, for OpenAPI 3.1 and AsyncAPI 3. Each schema with `.meta({ id })` is
 * written once.
 */
export function createSchemaBook(): SchemaBook {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    describe(schema, side) {
      const converted = convert(schema, side);
      for (const [name, definition] of Object.entries(
        (converted.$defs ?? {}) as Record<string, JsonSchema>,
      )) {
        components[name] = tidy(definition, side) as JsonSchema;
      }
      delete converted.$defs;
      return tidy(converted, side) as JsonSchema;
    },
    name(schema, names) {
      const text = JSON.stringify(schema);
      const name = names.find(
        (each) => components[each] === undefined || JSON.stringify(components[each]) === text,
      );
      if (name === undefined) throw new RangeError(`expected a free name, got ${names.join(', ')}`);
      components[name] = schema;
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

function convert(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  const json: JsonSchema = z.toJSONSchema(schema, {
    io: side,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'literal') nameInteger(jsonSchema);
      if (def.type === 'default') Object.assign(jsonSchema, { default: def.defaultValue });
      // For text parsed into a number, or a list that may be comma-separated, the output type says more than the input
      // type.
      if (def.type === 'pipe' && def.out._zod.def.type !== 'transform') {
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        Object.assign(jsonSchema, convert(def.out as z.ZodType, side));
      }
      if (jsonSchema.type === 'integer') jsonSchema.format ??= formatOf(jsonSchema as IntegerSchema);
      if (jsonSchema.type === 'number') jsonSchema.format ??= 'double';
      // Puts a schema's metadata after its type.
      const said = z.globalRegistry.get(zodSchema);
      for (const key of Object.keys(said ?? {})) delete jsonSchema[key];
      Object.assign(jsonSchema, said);
    },
  });
  delete json.$schema;
  return json;
}

interface IntegerSchema {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Generated clients take 32 bits where nothing is said. None is wider than 53: wider values are decimal strings. */
function formatOf({ minimum = -Infinity, maximum = Infinity }: IntegerSchema): 'int32' | 'int64' {
  return minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64';
}

/** A literal says `number`, of an integer as well. */
function nameInteger(schema: JsonSchema): void {
  const values = Array.isArray(schema.enum) ? (schema.enum as unknown[]) : [schema.const];
  if (values.every(Number.isInteger)) Object.assign(schema, { type: 'integer', format: 'int32' });
}

/** Drops keywords that only repeat others, and points references at the components. */
function tidy(value: unknown, side: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((item) => tidy(item, side));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, inner]) => !isNoise(value as JsonSchema, { key, value: inner, side }),
  );
  return Object.fromEntries(
    entries.map(([key, inner]) => [
      key,
      key === '$ref' ? String(inner).replace('#/$defs/', '#/components/schemas/') : tidy(inner, side),
    ]),
  );
}

function isNoise(
  schema: JsonSchema,
  { key, value, side }: { readonly key: string; readonly value: unknown; readonly side: 'input' | 'output' },
): boolean {
  switch (key) {
    case 'pattern':
      return schema.format === 'uuid' || schema.format === 'date-time';
    case 'minimum':
      return value === Number.MIN_SAFE_INTEGER;
    case 'maximum':
      return value === Number.MAX_SAFE_INTEGER;
    case 'id':
      return typeof value === 'string' && schema.properties !== undefined;
    case 'propertyNames':
      return JSON.stringify(value) === '{"type":"string"}';
    case 'additionalProperties':
      // Answers and events gain members over time, so clients must accept unknown ones.
      return value === false && side === 'output';
    default:
      return false;
  }
}

type Components = Readonly<Record<string, JsonSchema>>;

/**
 * Builds a value that `schema` accepts from the `examples` of its members.
 * @throws RangeError with the path of a required member that has no example
 */
export function buildExample(schema: JsonSchema, components: Components, path = ''): unknown {
  const known = [
    ...listOf(schema.examples),
    ...('const' in schema ? [schema.const] : []),
    ...('default' in schema ? [schema.default] : []),
    ...listOf(schema.enum),
  ];
  if (known.length > 0) return known[0];
  if (typeof schema.$ref === 'string')
    return buildExample(resolve(schema.$ref, components), components, path);
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)] as JsonSchema[];
  if (choices[0] !== undefined) return buildExample(choices[0], components, path);
  const parts = listOf(schema.allOf) as JsonSchema[];
  if (parts.length > 0)
    return Object.assign({}, ...parts.map((part) => buildExample(part, components, path))) as unknown;
  if (schema.type === 'array') return [buildExample(schema.items as JsonSchema, components, `${path}[]`)];
  if (typeof schema.properties === 'object') {
    const members = Object.entries(schema.properties as Record<string, JsonSchema>);
    return Object.fromEntries(
      members.map(([name, member]) => [name, buildExample(member, components, `${path}.${name}`)]),
    );
  }
  if (schema.type === 'boolean') return true;
  throw new RangeError(`${path === '' ? 'the schema' : path.slice(1)}: expected an example, got none`);
}

function resolve(reference: string, components: Components): JsonSchema {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const schema = components[name];
  if (schema === undefined) throw new RangeError(`expected a schema named ${name}, got none`);
  return schema;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
