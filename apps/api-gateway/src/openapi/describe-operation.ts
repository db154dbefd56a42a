// SPDX-License-Identifier: Apache-2.0
import { buildExample } from '@chainwatch/http';
import type { JsonSchema, SchemaBook } from '@chainwatch/http';
import type { RouteDescription } from '../server/define-route.ts';
import { describeParameters, IDEMPOTENCY_KEY } from './describe-parameters.ts';
import type { Parameter } from './describe-parameters.ts';
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
