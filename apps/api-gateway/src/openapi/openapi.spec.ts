// SPDX-License-Identifier: Apache-2.0
import type { JsonSchema } from '@chainwatch/platform/http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { operations, routeTable } from '../route-table.ts';
import { buildDocument } from './build-document.ts';
import type { OpenApiDocument } from './build-document.ts';

const document = buildDocument(operations, { namespaceLabel: 'svc' });
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1, and every reference leads somewhere', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, pointer]) => pointer!,
    );
    expect(references.length).toBeGreaterThan(100);
    for (const pointer of new Set(references))
      expect([pointer, find(document, pointer)]).toEqual([pointer, expect.any(Object)]);
  });

  it('has every route of the table, and nothing else', () => {
    const expected = routeTable.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
    expect(described.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(
      expected.sort(),
    );
    expect(new Set(expected).size).toBe(expected.length);
  });

  it('names every operation once', () => {
    const ids = [
      ...described.map(({ operation }) => operation.operationId),
      ...Object.values(document.webhooks).map(({ post }) => post.operationId),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
  });

  it('gives every integer a width, and every alternative with a tag a discriminator', () => {
    const integers = listSchemas(document).filter(({ type }) => type === 'integer');
    expect(integers.length).toBeGreaterThan(200);
    expect(integers.filter(({ format }) => format !== 'int32' && format !== 'int64')).toEqual([]);
    const chatId = { type: 'integer', format: 'int64' };
    expect(document.components.schemas.CreateTelegramChannelInput).toMatchObject({
      properties: { chat_id: chatId },
    });
    expect(listSchemas(document).filter(({ oneOf, discriminator }) => oneOf && !discriminator)).toEqual([]);
  });

  it('names every body and every answer, and the place of a page in its list', () => {
    const contents = described.flatMap(({ operation: { operationId, requestBody, responses } }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values((one?.content ?? {}) as Record<string, { schema: JsonSchema }>).map(
          ({ schema }) => [operationId, schema] as const,
        ),
      ),
    );
    // CSV, lines of JSON and streams are text.
    expect(contents.filter(([, schema]) => schema.$ref === undefined && schema.type !== 'string')).toEqual(
      [],
    );
    const pages = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('Page'));
    expect(pages.length).toBeGreaterThan(15);
    for (const [name, { properties }] of pages) {
      const meta = name === 'EventItemPage' ? 'EventPageMeta' : 'PageMeta';
      expect(properties).toMatchObject({ meta: { $ref: `#/components/schemas/${meta}` } });
    }
  });

  it('marks what has a second path, for people and for generators', () => {
    const short = described.filter(({ path }) => path.split('/')[1] === 'channels');
    expect(short).toHaveLength(36);
    expect(described.filter(({ operation }) => operation.deprecated)).toEqual(short);
    for (const { path, operation } of short) {
      const original = described.find((one) => one.operation.operationId === operation['x-alias-of'])!;
      expect(operation['x-internal']).toBe(true);
      expect(operation.requestBody).toEqual(original.operation.requestBody);
      expect(operation.responses).toEqual(original.operation.responses);
      if (path !== '/channels' || operation.operationId !== 'createChannel')
        expect(original.path.replace(/\{\w+\}/g, '{}').replace('/notification_channels', '/channels')).toBe(
          path.replace(/\{\w+\}/g, '{}'),
        );
    }
  });

  it('describes every path parameter, and marks it as required', () => {
    for (const { path, operation } of described) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        operation.parameters
          .filter((parameter) => parameter.in === 'path' && parameter.required)
          .map(({ name }) => name),
      ).toEqual(names);
    }
  });

  it.each<[string, string, object]>([
    ['/addresses', 'limit', { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 }],
    ['/addresses', 'is_monitored', { type: 'boolean' }],
    ['/assets', 'is_archived', { type: 'boolean', default: false }],
    [
      '/blockchains',
      'families',
      {
        type: 'array',
        items: { type: 'string', enum: ['evm', 'bitcoin', 'solana', 'tron'] },
        minItems: 1,
        maxItems: 100,
      },
    ],
    ['/blocks/{chain_gid}/{block_number}', 'block_number', { type: 'integer', format: 'int64', minimum: 0 }],
  ])('%s: %s is what a client has to send', (path, name, schema) => {
    expect(
      document.paths[path]!.get!.parameters.find((parameter) => parameter.name === name)!.schema,
    ).toEqual(schema);
  });

  it('asks for what the matrix of permissions asks for', () => {
    for (const [id, route] of Object.entries(operations)) {
      const { permission } = route;
      const operation = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method.toLowerCase()]!;
      const asked = permission === 'any' ? [] : [permission];
      expect([id, operation.security]).toEqual([
        id,
        [{ ApiKey: asked }, ...(route.isForPortals ? [{ PortalToken: asked }] : [])],
      ]);
      expect([id, operation.description]).toEqual([
        id,
        expect.stringContaining(permission === 'any' ? 'Any valid key' : `\`${permission}\``),
      ]);
    }
  });

  it('tells the permission and the problems of an operation', () => {
    const { security, responses } = document.paths['/blockchains']!.post!;
    expect(security).toEqual([{ ApiKey: ['api:blockchain:write'] }]);
    expect(Object.keys(responses)).toEqual([
      '201',
      '400',
      '401',
      '403',
      '405',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
    ]);
  });

  it('has only examples that the routes take', () => {
    const bodies = Object.entries(operations).filter(([, { schemas }]) => schemas.body);
    expect(bodies.length).toBeGreaterThan(25);
    for (const [id, { schemas, example }] of bodies)
      expect([id, schemas.body!.safeParse(example).error]).toEqual([id, undefined]);
  });
});

/** Every object of the document; those that are schemas among them. */
function listSchemas(node: unknown): JsonSchema[] {
  if (Array.isArray(node)) return node.flatMap(listSchemas);
  if (typeof node !== 'object' || node === null) return [];
  return [node as JsonSchema, ...Object.values(node).flatMap(listSchemas)];
}

function find(root: OpenApiDocument, pointer: string): unknown {
  return pointer
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}
