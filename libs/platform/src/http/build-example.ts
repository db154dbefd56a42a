// SPDX-License-Identifier: Apache-2.0
import type { JsonSchema } from './schema-book.ts';

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
