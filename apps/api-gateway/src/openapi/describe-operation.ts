// SPDX-License-Identifier: Apache-2.0
import { buildExample, type JsonSchema, type SchemaBook, type RouteSchemas } from '@chainwatch/platform/http';
import type { RouteDescription } from '../define-route.ts';
import { describeResponses } from './describe-responses.ts';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, JsonSchema>>;
  readonly deprecated?: true;
  /** Makes generators of clients leave it out: redocly, openapi-generator. */
  readonly 'x-internal'?: true;
  readonly 'x-alias-of'?: string;
}

export interface RequestBody {
  readonly required: boolean;
  /** By media type; JSON but for streamed bodies. */
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;
}

export function describeOperation(operationId: string, route: RouteDescription, book: SchemaBook): Operation {
  const { permission, aliasOf } = route;
  // An alias has the schemas of its original.
  const name = (aliasOf ?? operationId).replace(/^[a-z]/, (letter) => letter.toUpperCase());
  return {
    operationId,
    summary: route.summary,
    description: [
      permission === 'any' ? 'Any valid key may ask.' : `Needs the permission \`${permission}\`.`,
      ...(route.isForPortals ? ['A portal session may ask, about its own channels.'] : []),
      ...(aliasOf === undefined
        ? []
        : [`Another path of \`${aliasOf}\`, kept for as long as \`v1\` is. Use that one in new code.`]),
    ].join(' '),
    tags: [tagOf(route.path)],
    // For keys and tokens, OpenAPI 3.1 lists the required permissions here.
    security: ['ApiKey', ...(route.isForPortals ? ['PortalToken'] : [])].map((scheme) => ({
      [scheme]: permission === 'any' ? [] : [permission],
    })),
    parameters: [
      ...describeParameters(route.schemas, book),
      ...(route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ],
    ...describeBody(route, name, book),
    responses: describeResponses(route, name, book),
    ...(aliasOf !== undefined && { deprecated: true, 'x-internal': true, 'x-alias-of': aliasOf }),
  };
}

function tagOf(path: string): string {
  const resource = path.split('/')[1]!;
  return resource === 'channels' ? 'notification_channels' : resource;
}

function describeBody(
  { schemas: { body: schema }, example, streamedBody }: RouteDescription,
  name: string,
  book: SchemaBook,
): Pick<Operation, 'requestBody'> {
  if (streamedBody !== undefined) {
    const content = Object.entries(streamedBody.mediaTypes).map(([mediaType, text]) => {
      const described = book.describe(text, 'input');
      return [mediaType, { schema: described, example: buildExample(described, book.components) }] as const;
    });
    return { requestBody: { required: true, content: Object.fromEntries(content) } };
  }
  if (!schema) return {};
  const described = book.describe(schema, 'input');
  const content = {
    schema: '$ref' in described ? described : book.name(described, [`${name}Input`]),
    ...(example !== undefined && { example }),
  };
  return {
    requestBody: { required: !schema.safeParse(undefined).success, content: { 'application/json': content } },
  };
}

interface Parameter {
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
const IDEMPOTENCY_KEY: Parameter = {
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
function describeParameters(
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

const ID = '6f1d1f4e-0000-4000-8000-000000000001';

interface SharedParameter {
  readonly description: string;
  readonly example?: unknown;
}

/**
 * Parameters of several routes: the same name has the same meaning. A parameter of a single route is described in that
 * route.
 */
const SHARED_PARAMETERS: Readonly<Record<string, SharedParameter>> = {
  address: {
    description: 'An address of the project, in any supported format of its family.',
    example: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  },
  asset_path: {
    description: 'The asset in its chain: `<namespace>:<reference>` of CAIP-19.',
    example: 'erc20:0xdac17f958d2ee523a2206206994597c13d831ec7',
  },
  cascade: { description: 'Also delete dependent records. Without it, dependent records cause a 409.' },
  chain_families: { description: 'Only addresses of these families.' },
  chain_gid: { description: 'The chain as CAIP-2.', example: 'eip155:1' },
  chain_gids: { description: 'Only what belongs to these chains (CAIP-2).', example: ['eip155:1'] },
  change: { description: 'Only receive (0) or change (1) addresses.' },
  channel_id: { description: 'The notification channel, by its `id`.', example: ID },
  cursor: {
    description:
      'Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.',
    example: 'v1.main.3q2-7wAA',
  },
  delivery_id: { description: 'The delivery, by its `id`.', example: ID },
  event_id: { description: 'The event, by its `event_id`.', example: ID },
  formats: { description: 'Only addresses written in one of these formats.', example: ['evm'] },
  from_block: { description: 'Only from that block on, inclusive.', example: 21_000_000 },
  groups: {
    description: 'Only addresses that are in one of these groups.',
    example: ['customers'],
  },
  is_archived: { description: 'Only archived ones, or only those that are not.' },
  is_monitored: { description: 'Only addresses that are monitored, or only those that are not.' },
  is_used: { description: 'Only addresses that a transaction touched, or only others.' },
  key_id: { description: 'The key, by its `id`.', example: ID },
  kind: { description: 'Only those of that kind.' },
  limit: { description: 'Items a page.' },
  member_id: { description: 'The member, by its `id`.', example: ID },
  namespaces: { description: 'Only assets of these CAIP-19 namespaces.' },
  notification_channel_id: { description: 'The notification channel, by its `id`.', example: ID },
  page: { description: 'Which page, from 1.' },
  portal_session_id: { description: 'The portal session, by its `id`.', example: ID },
  project_id: { description: 'The project, by its `id`.', example: ID },
  public_key_id: { description: 'The public key, by its `id`.', example: ID },
  search: {
    description: 'Only those whose name or label holds this text, upper or lower case.',
    example: 'shop',
  },
  since: {
    description: 'Only from that time on, inclusive, by the time that the record shows.',
    example: '2026-01-01T00:00:00Z',
  },
  sort_by: { description: 'The order; `-` before the name: descending.' },
  statement_id: { description: 'The statement, by its `id`.', example: ID },
  statuses: { description: 'Only those with one of these statuses.' },
  to_block: { description: 'Only up to that block, inclusive.', example: 21_000_100 },
  types: { description: 'Only those of these types.' },
  workspace_id: { description: 'The workspace, by its `id`.', example: ID },
  until: {
    description: 'Only before that time, exclusive, by the time that the record shows.',
    example: '2026-01-02T00:00:00Z',
  },
};
