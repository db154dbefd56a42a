// SPDX-License-Identifier: Apache-2.0
import type { JsonSchema, SchemaBook } from '@chainwatch/http';
import type { RouteSchemas } from '@chainwatch/http';
import { SHARED_PARAMETERS } from './shared-parameters.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly style?: 'form' | 'deepObject';
  readonly explode?: boolean;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A parameter of every POST (decisions.md §8). */
export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text that you choose. A repeated request with the same text and the same API key is processed once within 24 hours, and gets the same answer. 409 while the first request runs, 422 for another path or body.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  example: 'order-1042',
};

const LIST_FORMS = 'Repeated, comma-separated, or both; the name may end in `[]`.';

/** Path, query and header parameters, from the schemas that parse them. @throws RangeError if one has no description */
export function describeParameters(
  { params, query, headers }: Pick<RouteSchemas, 'params' | 'query' | 'headers'>,
  book: SchemaBook,
): Parameter[] {
  return [
    ...membersOf(params, book).map(([name, schema]) => toParameter('path', { name, schema, required: true })),
    ...membersOf(query, book).map(([name, schema, isRequired]) =>
      toParameter('query', { name, schema, required: isRequired }),
    ),
    ...membersOf(headers, book).map(([name, schema, isRequired]) =>
      toParameter('header', {
        name: name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
        schema,
        required: isRequired,
      }),
    ),
  ];
}

function membersOf(
  schema: RouteSchemas['query'],
  book: SchemaBook,
): [name: string, schema: JsonSchema, isRequired: boolean][] {
  if (!schema) return [];
  const { properties = {}, required = [] } = book.describe(schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, member]) => [name, member, required.includes(name)]);
}

function toParameter(
  place: Parameter['in'],
  {
    name,
    schema: { description: ownText, examples: ownExamples, ...schema },
    required,
  }: { readonly name: string; readonly schema: JsonSchema; readonly required: boolean },
): Parameter {
  const shared = SHARED_PARAMETERS[name];
  const text = ownText ?? shared?.description;
  if (typeof text !== 'string')
    throw new RangeError(`expected .meta({ description }) of the parameter ${name}, got none`);
  const example = (ownExamples as unknown[] | undefined)?.[0] ?? shared?.example;
  return {
    name,
    in: place,
    required,
    description: schema.type === 'array' ? `${text} ${LIST_FORMS}` : text,
    ...(schema.type === 'array' && { style: 'form', explode: true }),
    ...(schema.type === 'object' && { style: 'deepObject', explode: true }),
    schema: isBoolean(schema)
      ? { type: 'boolean', ...('default' in schema && { default: schema.default }) }
      : schema,
    ...(example !== undefined && { example }),
  };
}

/** In a URL everything is text, so a boolean is an enum of two words. */
function isBoolean({ enum: words }: JsonSchema): boolean {
  return JSON.stringify(words) === '["true","false"]';
}
