// SPDX-License-Identifier: Apache-2.0
import { apiKeyPrefix } from '@chainwatch/common/api-key';
import { createSchemaBook, type JsonSchema, buildExample, type SchemaBook } from '@chainwatch/platform/http';
import { problemDocumentSchema } from '@chainwatch/common/problem';
import type { RouteDescription } from '../define-route.ts';
import { describeOperation, type Operation } from './describe-operation.ts';
import { problemResponses, responseHeaders } from './describe-responses.ts';
import type { z } from 'zod';
import { EVENT_SCHEMAS, EVENT_TYPES, EVENTS } from '@chainwatch/events';

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

/** Descriptions of the operations, by the first segment of their paths. */
const TAG_TEXTS: Readonly<Record<string, string>> = {
  version: 'Version of the service.',
  session:
    "Sessions of the dashboard. The browser sends the cookie, which is valid only for requests from pages of this origin. `X-Project-Id` selects the project of a session; sessions of management keys and members have none without it. Members sign in through the installation's issuer, at `/ui/oidc/start`. `X-Workspace-Id` selects the workspace of a member of several.",
  search: 'Search over all records of the project.',
  stats: 'Statistics for an overview.',
  networks: 'Networks that the installation can follow, each a document. They belong to the operator.',
  blockchains: 'Chains of the installation, with their nodes and progress. They belong to the operator.',
  blocks: 'Blocks with their processing statuses.',
  assets: 'Coins and tokens as the project sees them.',
  tokens: 'Assets with the metadata of their contracts.',
  public_keys: 'Extended public keys, and the HD addresses derived from them.',
  addresses: 'Monitored addresses and their balances.',
  transactions: 'Transactions of monitored addresses.',
  reconciliations: 'Ledgers compared with the transactions of the project. Results are kept for 90 days.',
  confirmation_policies:
    'When transactions of the project are confirmed, chain by chain. Fixed for a transaction when it is detected.',
  events: 'Events that were sent, or will be sent, through the channels.',
  incidents: 'Records of the project that were set aside, so that all others are still processed.',
  notification_channels: 'Destinations of events, and their deliveries. `/channels` is an alias.',
  portal_sessions:
    "Delivery pages for your customers, embedded in your own pages. Their token, `Authorization: Bearer`, works for the operations that list it, and for the session's channels only.",
  statements:
    'Signed documents of balances and movements, with declared gaps. Stored for 90 days. Their public keys are at `/.well-known/chainwatch-keys`, which needs no key.',
  webhooks: 'Requests that the servers of webhook channels receive.',
  management: 'Workspace, projects, members, keys and audit log, with a management key.',
};

/** What holds for every operation, in CommonMark. */
const INTRODUCTION = `Monitors addresses on your own nodes: transactions, balances per asset, signed notifications.

- **Keys**: every request under \`/v1\` carries a key in \`X-Api-Key\`: of a project, or of a workspace under \`/management\`. Each operation lists the permission that it needs.
- **Identifiers**: chains are CAIP-2 (\`eip155:1\`), assets CAIP-19 (\`eip155:1/erc20:0xdac1…\`). Amounts are decimal strings.
- **Lists** take \`limit\` (1 to 100), \`page\` and \`sort_by\` (\`-\` for descending), and return \`items\` and \`meta\` with the exact total. List parameters are repeated, comma-separated, or both. Unknown parameters and members are refused.
- **Errors** are \`application/problem+json\` (RFC 9457). A 400 names each bad value in \`fields\`. A path that does not exist is 404, another method than those of a path 405 with \`Allow\`. Requests with 429, 500, 502, or 503 may be retried later.
- **Limits**: the \`X-RateLimit-*\` headers show the remaining requests of the key; 429 has \`Retry-After\`.
- **Repetition**: GET, PATCH, and DELETE may be repeated. A POST with an \`Idempotency-Key\` is processed once, however often it is sent: its answer is stored for 24 hours, for the API key that sent it.
- **Growth**: within \`v1\`, answers and events only gain members and values. Ignore unknown members, and treat an unknown \`verification\` as unproved.`;

type Components = Readonly<Record<string, JsonSchema>>;

/** Tells which member chooses among the alternatives of a `oneOf`: generated clients narrow by it. Changes `node`. */
function addDiscriminators(node: unknown, components: Components): void {
  if (Array.isArray(node)) return node.forEach((item) => addDiscriminators(item, components));
  if (typeof node !== 'object' || node === null) return;
  const schema = node as JsonSchema;
  for (const value of Object.values(schema)) addDiscriminators(value, components);
  const discriminator = Array.isArray(schema.oneOf) && findDiscriminator(schema.oneOf, components);
  if (discriminator) schema.discriminator = discriminator;
}

/** A mapping leads to named schemas alone (OpenAPI 3.1, Discriminator Object). */
function findDiscriminator(choices: readonly JsonSchema[], components: Components): JsonSchema | undefined {
  const references = choices.map(({ $ref }) => $ref).filter((one) => typeof one === 'string');
  if (references.length < choices.length) return undefined;
  const members = references.map((one) => valuesOf(components[one.split('/').at(-1)!]!));
  const propertyName = Object.keys(members[0]!).find((name) => {
    const values = members.map((one) => one[name]);
    if (values.includes(undefined)) return false;
    return new Set(values.flat()).size === values.flat().length;
  });
  if (propertyName === undefined) return undefined;
  const mapping = Object.fromEntries(
    references.flatMap((one, place) => members[place]![propertyName]!.map((value) => [value, one])),
  );
  return { propertyName, mapping };
}

/** The texts that a member may have, of those that have only these. */
function valuesOf({ properties = {} }: JsonSchema): Record<string, readonly string[]> {
  const members = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(
    members.flatMap(([name, { const: only, enum: several }]) => {
      const values: readonly unknown[] = Array.isArray(several) ? several : [only];
      return values.every((value) => typeof value === 'string') ? [[name, values]] : [];
    }),
  );
}

interface WebhookOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly JsonSchema[];
  readonly requestBody: {
    readonly required: true;
    readonly content: {
      readonly 'application/json': { readonly schema: JsonSchema; readonly example: unknown };
    };
  };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
  readonly security: readonly [];
}

const DESCRIPTION =
  'POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, ' +
  'with the entire secret of the channel as key. During a rotation the header has two `v1=`, and one must match. Reject timestamps older than 300 seconds, and drop an `event_id` that you have processed.';

/**
 * The `webhooks` of the document: the requests that customers' servers receive (interface.md, webhook signature
 * verification).
 */
function describeWebhooks(book: SchemaBook): Record<string, { post: WebhookOperation }> {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const post: WebhookOperation = {
        operationId: type
          .replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())
          .replace(/^/, 'on'),
        summary: EVENTS[type].summary,
        description: DESCRIPTION,
        tags: ['webhooks'],
        parameters: headersOf(type),
        requestBody: {
          required: true,
          content: { 'application/json': describeBody(EVENT_SCHEMAS[type], book) },
        },
        responses: {
          '2XX': { description: 'Taken. Anything else, or none within 10 seconds, is tried again.' },
        },
        security: [],
      };
      return [type, { post }];
    }),
  );
}

function describeBody(schema: z.ZodType, book: SchemaBook): { schema: JsonSchema; example: unknown } {
  const described = book.describe(schema, 'output');
  return { schema: described, example: buildExample(described, book.components) };
}

function headersOf(type: string): JsonSchema[] {
  return [
    headerParameter(
      'X-Webhook-Signature',
      '`t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation.',
      { type: 'string', pattern: '^t=[0-9]+(,v[0-9]+=[0-9a-f]+)+$' },
    ),
    headerParameter('X-Webhook-Event', 'The type of the event.', { type: 'string', const: type }),
    headerParameter(
      'X-Webhook-Event-Id',
      'The same in every attempt, and in the body: by it duplicates are dropped.',
      { type: 'string', format: 'uuid' },
    ),
    headerParameter('X-Webhook-Delivery-Id', 'Another one in every attempt.', {
      type: 'string',
      format: 'uuid',
    }),
  ];
}

function headerParameter(name: string, text: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'header', required: true, description: text, schema };
}
