// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { buildExample } from '@chainwatch/platform/http';
import type { JsonSchema, SchemaBook } from '@chainwatch/platform/http';
import { PROBLEM_CONTENT_TYPE, PROBLEM_KINDS } from '@chainwatch/common/problem';
import type { ProblemCode } from '@chainwatch/common/problem';
import type { RouteDescription } from '../define-route.ts';

/** Statuses that any request can end with, whatever its route. */
const OF_EVERY_ROUTE = [400, 401, 403, 405, 413, 415, 429, 500, 503];

export const responseHeaders: Readonly<Record<string, JsonSchema>> = {
  'X-Request-Id': always(
    "The client's own ID if it sent one, otherwise a new UUID. Included in every log line of the request.",
    { type: 'string' },
  ),
  'X-RateLimit-Limit': always('Requests that the key may make in 60 seconds.', {
    type: 'integer',
    format: 'int64',
    minimum: 0,
  }),
  'X-RateLimit-Remaining': always('What is left of them.', { type: 'integer', format: 'int64', minimum: 0 }),
  'X-RateLimit-Reset': always('When the full limit is available again, in Unix seconds.', {
    type: 'integer',
    format: 'int64',
    minimum: 0,
  }),
  'Retry-After': header('Seconds after which the same request may succeed.', {
    type: 'integer',
    format: 'int32',
    minimum: 1,
  }),
  'Idempotency-Replayed': header('`true` on the kept answer of a request that was sent again.', {
    type: 'string',
    const: 'true',
  }),
  'X-Data-As-Of': header(
    'Only where a standby of the database answered: every change that was committed before this time is included, later ones may be missing. Without it the answer is current. For a current answer send `Cache-Control: no-cache`.',
    { type: 'string', format: 'date-time' },
  ),
  Location: always('The path of what was created.', { type: 'string' }),
  Allow: header('The methods that the path has.', { type: 'string' }),
};

const OF_EVERY_ANSWER = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** Every answer of a route by status: its own, and problems by reference. */
export function describeResponses(
  route: RouteDescription,
  name: string,
  book: SchemaBook,
): Record<string, JsonSchema> {
  const isPost = route.method === 'POST';
  const own = Object.entries(route.schemas.responses).map(([status, schema]) => {
    const bodies = schema && {
      [route.mediaType ?? 'application/json']: schema,
      ...(status === '200' && route.alternatives),
    };
    const content = bodies && {
      content: Object.fromEntries(
        Object.entries(bodies).map(([type, body]) => [type, describeBody(body, name, book)]),
      ),
    };
    return [
      status,
      {
        description: describeSuccess(Number(status), schema),
        headers: headerReferences([
          ...OF_EVERY_ANSWER,
          ...(isPost ? ['Idempotency-Replayed'] : []),
          ...(route.reads === undefined ? [] : ['X-Data-As-Of']),
          ...(status === '201' ? ['Location'] : []),
        ]),
        ...content,
      },
    ] as const;
  });
  const problems = [
    ...OF_EVERY_ROUTE,
    ...(route.path.includes('/:') ? [404] : []),
    ...(isPost ? [409, 422] : []),
    ...(route.problems ?? []),
  ];
  const references = [...new Set(problems)].map(
    (status) => [String(status), { $ref: `#/components/responses/${responseNameOf(status)}` }] as const,
  );
  return Object.fromEntries([...own, ...references]);
}

function describeBody(schema: z.ZodType, name: string, book: SchemaBook): JsonSchema {
  const described = book.describe(schema, 'output');
  return {
    // Other types than objects are text: CSV, lines of JSON, events.
    schema: described.type === 'object' ? book.name(described, namesOf(described, name)) : described,
    example: buildExample(described, book.components),
  };
}

/** A list is named for its items. */
function namesOf({ properties = {} }: JsonSchema, operation: string): string[] {
  const { items, meta } = properties as { items?: { items?: JsonSchema }; meta?: JsonSchema };
  const item = typeof items?.items?.$ref === 'string' ? items.items.$ref.split('/').at(-1)! : undefined;
  const isList = Object.keys(properties as object).every((key) => key === 'items' || key === 'meta');
  const ofItems = item !== undefined && isList ? [`${item}${meta === undefined ? 'List' : 'Page'}`] : [];
  return [...ofItems, `${operation}Result`];
}

/** `components.responses`: one for each kind of problem that the API has. */
export function problemResponses(): Record<string, JsonSchema> {
  const kinds = [...OF_EVERY_ROUTE, 404, 409, 410, 422, 502].sort((a, b) => a - b).map(kindOf);
  return Object.fromEntries(
    kinds.map((kind) => [
      toName(kind.title),
      {
        description: kind.detail,
        headers: headerReferences([...OF_EVERY_ANSWER, ...(EXTRA_HEADERS[kind.status] ?? [])]),
        content: {
          [PROBLEM_CONTENT_TYPE]: {
            schema: { $ref: '#/components/schemas/Problem' },
            example: exampleOf(kind),
          },
        },
      },
    ]),
  );
}

function exampleOf({ base, path, title, status, detail }: (typeof PROBLEM_KINDS)[ProblemCode]): JsonSchema {
  const fields = status === 400 && { fields: [{ name: 'limit', reason: 'expected at most 100, got 500' }] };
  return {
    type: `https://${base === 'docsUrl' ? 'docs' : 'api'}.example.com${path}`,
    title,
    status,
    detail,
    instance: '/v1/addresses',
    ...fields,
  };
}

const EXTRA_HEADERS: Readonly<Record<number, readonly string[]>> = {
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function describeSuccess(status: number, schema: unknown): string {
  if (status === 201) return 'Created.';
  return schema === undefined ? 'Done; there is nothing to say.' : 'The answer.';
}

function responseNameOf(status: number): string {
  return toName(kindOf(status).title);
}

function kindOf(status: number): (typeof PROBLEM_KINDS)[ProblemCode] {
  const kind = Object.values(PROBLEM_KINDS).find((one) => one.status === status);
  if (!kind) throw new Error(`expected a status of a problem, got ${status}`);
  return kind;
}

function toName(title: string): string {
  return title.replaceAll(' ', '');
}

function always(description: string, schema: JsonSchema): JsonSchema {
  return { ...header(description, schema), required: true };
}

function header(description: string, schema: JsonSchema): JsonSchema {
  return { description, schema };
}

function headerReferences(names: readonly string[]): Record<string, JsonSchema> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
