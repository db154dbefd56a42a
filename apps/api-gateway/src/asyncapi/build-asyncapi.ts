// SPDX-License-Identifier: Apache-2.0
import { FLOW, SUBJECTS, streamOf } from '@chainwatch/events';
import type { FlowService, SubjectKind } from '@chainwatch/events';
import { buildExample, createSchemaBook } from '@chainwatch/platform/http';
import type { JsonSchema, SchemaBook } from '@chainwatch/platform/http';

const allKinds = Object.keys(SUBJECTS) as SubjectKind[];
const services = Object.keys(FLOW) as FlowService[];

const tokenParameters: Readonly<Record<string, { readonly description: string }>> = {
  chain_gid: { description: 'The chain as CAIP-2, `eip155:1`.' },
  project_id: { description: 'The project that the address belongs to, a UUID.' },
  family: { description: 'The chain family, such as `bitcoin`.' },
};

export type Audience = 'subscribers' | 'services';

const titles: Readonly<Record<Audience, string>> = {
  subscribers: 'chainwatch events on NATS',
  services: 'chainwatch bus',
};

const descriptions: Readonly<Record<Audience, string>> = {
  subscribers: `The events of a project, for programs that read them from chainwatch's NATS (docs/guides/nats-subscribers.md). Each project has its own account, which can read the subjects of that project only.

Store the subjects in a stream of the account, and acknowledge an event when its effect is stored. Delivery is at least once: drop an \`event_id\` (also the \`Nats-Msg-Id\`) that you have processed. Members may be added to payloads, and none is removed.`,
  services: `Every subject of the bus, for contributors to chainwatch. Subjects without a project are internal: they may change with any release, and subscribers have no access to them.

One JetStream stream per first word. Delivery is at least once; payloads carry a \`schema\` version and only gain members. PostgreSQL is the source of truth: missed messages are recovered from there.`,
};

/** Subscribers see what is told to a project. */
function kindsFor(audience: Audience): SubjectKind[] {
  const isPublic = (kind: SubjectKind): boolean =>
    (SUBJECTS[kind].tokens as readonly string[]).includes('project_id');
  return allKinds.filter((kind) => audience === 'services' || isPublic(kind));
}

/** The AsyncAPI 3 document of the bus: made from the subjects, their payload schemas and the flow table. */
export function buildAsyncApi(audience: Audience): JsonSchema {
  const book = createSchemaBook();
  const kinds = kindsFor(audience);
  const messages = Object.fromEntries(kinds.map((kind) => [kind, describeMessage(kind, book)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: titles[audience],
      version: '1',
      description: descriptions[audience],
      license: { name: 'Apache License 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: '{host}',
        variables: {
          host: { default: 'localhost:4222', description: 'Host and port of the server, of NATS_URL.' },
        },
        protocol: 'nats',
        description: 'NATS with JetStream, at the address of NATS_URL.',
        security: [
          { $ref: '#/components/securitySchemes/nkey' },
          { $ref: '#/components/securitySchemes/creds' },
        ],
      },
    },
    channels: Object.fromEntries(kinds.map((kind) => [kind, describeChannel(kind)])),
    operations: Object.fromEntries(
      audience === 'services' ? services.flatMap(listOperations) : kinds.map(subscribe),
    ),
    components: {
      messages,
      schemas: separateReferences(book.components) as JsonSchema,
      securitySchemes,
    },
  };
}

/** A Reference Object of AsyncAPI 3.0 has no other member: one with a description becomes the only part of a schema. */
function separateReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(separateReferences);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...others } = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, separateReferences(inner)]),
  );
  if ($ref === undefined) return others;
  return Object.keys(others).length === 0 ? { $ref } : { allOf: [{ $ref }], ...others };
}

const securitySchemes = {
  nkey: {
    type: 'asymmetricEncryption',
    description: 'The seed of an nkey; the server holds the public key of the user.',
  },
  creds: {
    type: 'asymmetricEncryption',
    description:
      'A `.creds` file (JWT and seed) of a server in operator mode; client certificates where it verifies them.',
  },
};

function subscribe(kind: SubjectKind): [id: string, operation: JsonSchema] {
  return [
    `subscribe.${kind}`,
    {
      action: 'receive',
      channel: { $ref: `#/channels/${kind}` },
      summary: SUBJECTS[kind].summary,
      // No queue group: a durable consumer of a stream shares the work, and misses nothing.
      bindings: { nats: { bindingVersion: '0.1.0' } },
      messages: [{ $ref: `#/channels/${kind}/messages/${kind}` }],
    },
  ];
}

function describeChannel(kind: SubjectKind): JsonSchema {
  const { tokens, summary } = SUBJECTS[kind];
  return {
    address: [kind, ...tokens.map((token) => `{${token}}`)].join('.'),
    summary,
    description: `In the stream \`${streamOf(kind)}\`.`,
    parameters: Object.fromEntries(tokens.map((token) => [token, tokenParameters[token]])),
    messages: { [kind]: { $ref: `#/components/messages/${kind}` } },
  };
}

function describeMessage(kind: SubjectKind, book: SchemaBook): JsonSchema {
  const payload = book.describe(SUBJECTS[kind].payload, 'output');
  return {
    name: kind,
    summary: SUBJECTS[kind].summary,
    headers: {
      type: 'object',
      properties: {
        'Nats-Msg-Id': {
          type: 'string',
          description: 'The same for the same event: JetStream drops what comes twice within its window.',
          examples: ['6f1d1f4e-0000-5000-8000-000000000001'],
        },
        traceparent: {
          type: 'string',
          description: 'W3C trace context of what led to it.',
          examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
        },
      },
      required: ['Nats-Msg-Id'],
    },
    payload,
    examples: [{ name: kind, payload: buildExample(payload, book.components) }],
  };
}

function listOperations(service: FlowService): [id: string, operation: JsonSchema][] {
  const operationsOf = (action: 'send' | 'receive', own: readonly SubjectKind[]): [string, JsonSchema][] =>
    own.map((kind) => [
      `${service}.${action}.${kind}`,
      {
        action,
        channel: { $ref: `#/channels/${kind}` },
        bindings: { nats: { bindingVersion: '0.1.0' } },
        summary: `${service} ${action === 'send' ? 'publishes' : 'consumes'} ${kind}.`,
        messages: [{ $ref: `#/channels/${kind}/messages/${kind}` }],
      },
    ]);
  return [
    ...operationsOf('send', FLOW[service].produces),
    ...operationsOf('receive', FLOW[service].consumes),
  ];
}
