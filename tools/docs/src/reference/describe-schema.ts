// SPDX-License-Identifier: Apache-2.0
import type { JsonSchema } from '@chainwatch/platform/http';
import { table } from '../markdown.ts';

const SCHEMAS = '/reference/api/schemas';
/** Deeper members are in the example. */
const LEVELS_MAX = 3;

/** What a value may be, in a few words of Markdown. */
export function describeType(schema: JsonSchema): string {
  const { $ref, enum: values, type } = schema;
  if (typeof $ref === 'string') return linkSchema($ref);
  if ('const' in schema) return code(schema.const);
  if (Array.isArray(values)) return values.map(code).join(' or ');
  const options = listOptions(schema);
  if (options !== undefined) return [...new Set(options.map(describeType))].join(' or ');
  if (type === 'array') return `list of ${describeType(itemsOf(schema))}`;
  if (type === 'object' && isSchema(schema.additionalProperties) && !('properties' in schema))
    return `map to ${describeType(schema.additionalProperties)}`;
  if (typeof type === 'string') return [type, rangeOf(schema)].filter(Boolean).join(', ');
  return 'any value';
}

/** A row for each member, those of objects inside included. */
export function describeMembers(schema: JsonSchema): string {
  const rows = listRows(schema, '', LEVELS_MAX);
  return rows.length === 0 ? describeType(schema) : table(['Member', 'Type', 'Meaning'], rows);
}

function listRows(schema: JsonSchema, prefix: string, levels: number): string[][] {
  if (levels === 0) return [];
  const variants = (listOptions(schema) ?? []).filter((option) => 'properties' in option);
  // Variants share members: each is told once.
  const seen = new Set<string>();
  return [schema, ...variants].flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties as Record<string, JsonSchema>).flatMap(([name, member]) => {
      if (seen.has(name)) return [];
      seen.add(name);
      const isRequired = variants.length === 0 && (required as string[]).includes(name);
      const path = `${prefix}${name}`;
      const about = [String(member.description ?? ''), defaultOf(member)].filter(Boolean).join(' ');
      const inside = member.type === 'array' ? itemsOf(member) : member;
      const below = listRows(inside, `${path}${member.type === 'array' ? '[]' : ''}.`, levels - 1);
      return [[`\`${path}\`${isRequired ? ' \\*' : ''}`, describeType(member), about], ...below];
    }),
  );
}

export function defaultOf(schema: JsonSchema): string {
  return 'default' in schema ? `Default: ${code(schema.default)}.` : '';
}

export function linkSchema(reference: string): string {
  const name = reference.split('/').at(-1)!;
  return `[${name}](${SCHEMAS}#${name})`;
}

function listOptions(schema: JsonSchema): JsonSchema[] | undefined {
  const options = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return Array.isArray(options) ? (options as JsonSchema[]) : undefined;
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  return isSchema(items) ? items : {};
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rangeOf({ minimum, maximum, minLength, maxLength, format }: JsonSchema): string {
  const limits = (least: unknown, most: unknown, unit: string): string => {
    if (least !== undefined && most !== undefined && most !== Number.MAX_SAFE_INTEGER)
      return `${String(least)} to ${String(most)}${unit}`;
    if (most !== undefined && most !== Number.MAX_SAFE_INTEGER) return `at most ${String(most)}${unit}`;
    return least === undefined || least === Number.MIN_SAFE_INTEGER ? '' : `at least ${String(least)}${unit}`;
  };
  return [
    typeof format === 'string' ? format : '',
    limits(minimum, maximum, ''),
    limits(minLength, maxLength, ' characters'),
  ]
    .filter(Boolean)
    .join(', ');
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}
