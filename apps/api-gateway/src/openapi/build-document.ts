// SPDX-License-Identifier: Apache-2.0
import { apiKeyPrefix } from '@chainwatch/api-key';
import { createSchemaBook } from '@chainwatch/http';
import type { JsonSchema } from '@chainwatch/http';
import { problemDocumentSchema } from '@chainwatch/problem';
import type { RouteDescription } from '../server/define-route.ts';
import { addDiscriminators } from './add-discriminators.ts';
import { describeOperation } from './describe-operation.ts';
import type { Operation } from './describe-operation.ts';
import { problemResponses, responseHeaders } from './describe-responses.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import type { WebhookOperation } from './describe-webhooks.ts';
import { INTRODUCTION } from './introduction.ts';
import { TAG_TEXTS } from './tag-texts.ts';

export interface OpenApiDocument extends JsonSchema {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'headers' | 'securitySchemes', Readonly<Record<string, JsonSchema>>>
  >;
}

/** Of a stack on this machine, for documents that no service serves. */
const LOCAL_ORIGIN = 'http://127.0.0.1:8080';

/** The version of this description (interface.md, Versioning), not of the software, which `GET /version` returns. */
const API_DESCRIPTION_VERSION = '1.0.0';

export interface DocumentOptions {
  /** The label in key prefixes, `svc`. */
  readonly namespaceLabel: string;
  /** Where the service is reached: `https://api.example.com`; default: the port of a local one. */
  readonly origin?: string;
}

/**
 * The OpenAPI 3.1 document of a route table by operation id. It is built from the schemas that parse the requests and
 * check the replies.
 */
export function buildDocument(
  operations: Readonly<Record<string, RouteDescription>>,
  { namespaceLabel, origin = LOCAL_ORIGIN }: DocumentOptions,
): OpenApiDocument {
  const book = createSchemaBook();
  book.describe(problemDocumentSchema, 'output');
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [id, route] of Object.entries(operations)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(id, route, book) };
  }
  const webhooks = describeWebhooks(book);
  for (const [path, item] of Object.entries(paths)) paths[path] = inOrder(item);
  addDiscriminators(book.components, book.components);
  return {
    openapi: '3.1.1',
    info: {
      title: 'chainwatch platform API',
      version: API_DESCRIPTION_VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: listServers(origin),
    tags: listTags({ ...paths, ...webhooks }),
    paths,
    webhooks,
    components: {
      schemas: book.components,
      responses: problemResponses(),
      headers: responseHeaders,
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Api-Key',
          description: `A key of a project, \`${apiKeyPrefix(namespaceLabel, 'api')}…\`; for the management interface one of a workspace, \`${apiKeyPrefix(namespaceLabel, 'mgt')}…\`.`,
        },
        PortalToken: {
          type: 'http',
          scheme: 'bearer',
          description: `The token of a portal session, \`${namespaceLabel}_portal_…\`: the fragment of its page's address.`,
        },
      },
    },
  };
}

/** The first one as it is: some generators fill in no variables. */
export function listServers(origin = LOCAL_ORIGIN): JsonSchema[] {
  return [
    { url: `${origin}/v1`, description: 'This service.' },
    {
      url: '{origin}/v1',
      description: 'Another installation.',
      variables: {
        origin: { default: origin, description: 'Its scheme and host, without a slash at the end.' },
      },
    },
  ];
}

const VERBS = ['get', 'put', 'post', 'patch', 'delete'];

/** A path's operations: reading first, deleting last. */
function inOrder<T>(item: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(VERBS.flatMap((verb) => (item[verb] === undefined ? [] : [[verb, item[verb]]])));
}

type Tagged = Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;

function listTags(paths: Tagged): { name: string; description: string }[] {
  const names = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags));
  return [...new Set(names)].map((name) => ({ name, description: TAG_TEXTS[name]! }));
}
