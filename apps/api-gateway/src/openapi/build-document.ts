import { apiKeyPrefix } from '@chainwatch/api-key';
import { createSchemaBook } from '@chainwatch/http';
import type { JsonSchema } from '@chainwatch/http';
import { problemDocumentSchema } from '@chainwatch/problem';
import type { RouteDescription } from '../server/define-route.ts';
import { describeOperation } from './describe-operation.ts';
import type { Operation } from './describe-operation.ts';
import { problemResponses, responseHeaders } from './describe-responses.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import type { WebhookOperation } from './describe-webhooks.ts';
import { INTRODUCTION } from './introduction.ts';
import { TAG_TEXTS } from './tag-texts.ts';

export interface OpenApiDocument extends JsonSchema {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: Readonly<
    Record<'schemas' | 'responses' | 'headers' | 'securitySchemes', Readonly<Record<string, JsonSchema>>>
  >;
}

/** The version of this description (interface.md, Versioning), not of the software, which `GET /version` returns. */
const API_DESCRIPTION_VERSION = '1.0.0';

export interface DocumentOptions {
  /** The label in key prefixes, `svc`. */
  readonly namespaceLabel: string;
}

/**
 * The OpenAPI 3.1 document of a route table by operation id. It is built from the schemas that parse the requests and
 * check the replies.
 */
export function buildDocument(
  operations: Readonly<Record<string, RouteDescription>>,
  { namespaceLabel }: DocumentOptions,
): OpenApiDocument {
  const book = createSchemaBook();
  book.describe(problemDocumentSchema, 'output');
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [id, route] of Object.entries(operations)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(id, route, book) };
  }
  const webhooks = describeWebhooks(book);
  return {
    openapi: '3.1.1',
    info: { title: 'chainwatch platform API', version: API_DESCRIPTION_VERSION, description: INTRODUCTION },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: '/v1' }],
    tags: listTags(paths),
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

function listTags(paths: OpenApiDocument['paths']): { name: string; description: string }[] {
  const names = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags));
  return [...new Set(names)].map((name) => ({ name, description: TAG_TEXTS[name]! }));
}
