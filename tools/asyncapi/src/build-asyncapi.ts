import { FLOW, SUBJECTS, streamOf } from '@chainwatch/events';
import type { FlowService, SubjectKind } from '@chainwatch/events';
import { buildExample, createSchemaBook } from '@chainwatch/http';
import type { JsonSchema, SchemaBook } from '@chainwatch/http';

const kinds = Object.keys(SUBJECTS) as SubjectKind[];
const services = Object.keys(FLOW) as FlowService[];

const tokenTexts: Readonly<Record<string, string>> = {
  chain_gid: 'The chain as CAIP-2, `eip155:1`.',
  project_id: 'The project that the address belongs to, a UUID.',
  family: 'The chain family, such as `bitcoin`.',
};

const description = `The subjects of the bus, for subscribers inside and outside of the service.

One JetStream stream per first word. Delivery is at least once; payloads carry a \`schema\` version and only gain members. PostgreSQL is the truth: what is missed here is found there.`;

/** The AsyncAPI 3 document of the bus: made from the subjects, their payload schemas and the flow table. */
export function buildAsyncApi(): JsonSchema {
  const book = createSchemaBook();
  const messages = Object.fromEntries(kinds.map((kind) => [kind, describeMessage(kind, book)]));
  return {
    asyncapi: '3.0.0',
    info: { title: 'chainwatch bus', version: '1', description },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: 'localhost:4222',
        protocol: 'nats',
        description: 'NATS with JetStream, at the address of NATS_URL.',
      },
    },
    channels: Object.fromEntries(kinds.map((kind) => [kind, describeChannel(kind)])),
    operations: Object.fromEntries(services.flatMap(listOperations)),
    components: { messages, schemas: book.components },
  };
}

function describeChannel(kind: SubjectKind): JsonSchema {
  const { tokens, summary } = SUBJECTS[kind];
  return {
    address: [kind, ...tokens.map((token) => `{${token}}`)].join('.'),
    summary,
    description: `In the stream \`${streamOf(kind)}\`.`,
    parameters: Object.fromEntries(tokens.map((token) => [token, { description: tokenTexts[token] }])),
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
        summary: `${service} ${action === 'send' ? 'publishes' : 'consumes'} ${kind}.`,
        messages: [{ $ref: `#/channels/${kind}/messages/${kind}` }],
      },
    ]);
  return [
    ...operationsOf('send', FLOW[service].produces),
    ...operationsOf('receive', FLOW[service].consumes),
  ];
}
