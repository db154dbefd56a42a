// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { EVENT_SCHEMAS, EVENT_TYPES, EVENTS } from '@chainwatch/events';
import { buildExample } from '@chainwatch/http';
import type { JsonSchema, SchemaBook } from '@chainwatch/http';

export interface WebhookOperation {
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
export function describeWebhooks(book: SchemaBook): Record<string, { post: WebhookOperation }> {
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
