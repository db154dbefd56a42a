// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS, EVENT_TYPES } from '@chainwatch/events';
import { repoDir } from '@chainwatch/testing/host';
import type { JsonSchema } from '@chainwatch/platform/http';
import type { OpenApiDocument } from '../../../../apps/api-gateway/src/openapi/build-document.ts';
import { fence, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { describeMembers, linkSchema } from './describe-schema.ts';

interface AsyncApi {
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly address: string;
        readonly summary: string;
        readonly description: string;
        readonly parameters: Readonly<Record<string, { readonly description: string }>>;
      }
    >
  >;
  readonly components: {
    readonly messages: Readonly<Record<string, { readonly headers: JsonSchema; readonly payload: unknown }>>;
  };
}

/** What channels get, from the webhooks of the OpenAPI document; subjects from docs/asyncapi.json. */
export function writeEvents(document: OpenApiDocument): Page {
  const asyncApi = JSON.parse(readFileSync(join(repoDir, 'docs/asyncapi.json'), 'utf8')) as AsyncApi;
  const overview = EVENT_TYPES.map((type) => {
    const { defaultFor } = EVENTS[type];
    const marks = (['payments', 'movements'] as const).map((one) =>
      isIn(defaultFor, one) ? 'yes' : 'on demand',
    );
    return [`[\`${type}\`](#${anchorOf(type)})`, EVENTS[type].summary, ...marks];
  });
  const [first] = Object.values(document.webhooks);
  const headers = first!.post.parameters.map(({ name, description }) => [
    `\`${String(name)}\``,
    String(description),
  ]);
  const text = [
    '# Events',
    'All events have one envelope, with the same bytes on every channel kind. Members may be added; none is renamed or removed within `v1`. For tools: [openapi.json](/openapi.json){target="_self"} under `webhooks`, and [asyncapi.json](/asyncapi.json){target="_self"} for NATS.',
    table(['Type', 'When', 'Webhook', 'NATS, Telegram, Slack, Discord, e-mail'], overview),
    '"Yes" is the default of a channel that names no `event_types`.',
    '## Headers of a webhook',
    table(['Header', ''], headers),
    ...Object.entries(document.webhooks).map(([type, { post }]) => {
      const { schema, example } = post.requestBody.content['application/json'];
      const name = String(schema.$ref).split('/').at(-1)!;
      return [
        `## ${type} {#${anchorOf(type)}}`,
        EVENTS[type as keyof typeof EVENTS].description,
        `The body is ${linkSchema(name)}:`,
        describeMembers(document.components.schemas[name]!),
        fence('json', JSON.stringify(example, undefined, 2)),
      ].join('\n\n');
    }),
    '## Subjects on NATS',
    "For programs that read [chainwatch's own NATS](/guides/nats-subscribers). A NATS channel publishes to a subject of your choice instead.",
    table(
      ['Subject', 'When', 'Types'],
      Object.entries(asyncApi.channels).map(([name, { address, summary }]) => [
        `\`${address}\``,
        summary,
        listTypes(asyncApi.components.messages[name]!.payload),
      ]),
    ),
  ].join('\n\n');
  return { path: 'reference/events.md', text };
}

function isIn(list: readonly string[], value: string): boolean {
  return list.includes(value);
}

function anchorOf(type: string): string {
  return type.replaceAll('.', '-');
}

/** `TransactionDetectedEvent` is the schema of `transaction.detected`. */
function listTypes(payload: unknown): string {
  const names = [...JSON.stringify(payload).matchAll(/#\/components\/schemas\/(\w+)Event"/g)];
  return names
    .map(([, name]) => `\`${name!.replace(/(?<=[a-z])(?=[A-Z])/g, '.').toLowerCase()}\``)
    .join(', ');
}
