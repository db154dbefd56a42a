// SPDX-License-Identifier: Apache-2.0
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { listUndocumented } from '@chainwatch/testing';
import { operations } from '../route-table.ts';
import { buildDocument } from './build-document.ts';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
}
type Responses = Record<string, { readonly content?: Record<string, Content> }>;

const document = buildDocument(operations, { namespaceLabel: 'svc' });
const described = Object.values(document.paths).flatMap((item) => Object.values(item));

/** What contents are not what their schema says, with the first reason. */
function listWrongExamples(contents: readonly (readonly [name: string, content: Content])[]): string[] {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi.json');
  return contents.flatMap(([name, { schema, example }]) => {
    if (example === undefined) return [`${name}: no example`];
    // References lead into the document.
    const own = JSON.parse(
      JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components'),
    ) as object;
    return ajv.validate(own, example) ? [] : [`${name}: ${ajv.errorsText()}`];
  });
}

describe('the documentation in /openapi.json', () => {
  it('describes every member of every schema, with an example', () => {
    expect(
      listUndocumented(
        { components: document.components.schemas, paths: document.paths, webhooks: document.webhooks },
        '#',
      ),
    ).toEqual([]);
  });

  it('finds a member without a description and one without an example', () => {
    const schema = {
      properties: {
        a: { type: 'string', examples: ['x'] },
        b: { type: 'integer', description: 'A number.' },
        c: { type: 'boolean', description: 'A choice.' },
      },
    };
    expect(listUndocumented(schema, '#')).toEqual(['#.a: no description', '#.b: no example']);
  });

  it('gives every answer, problems included, an example that is what its schema says', () => {
    const answers = described.flatMap(({ operationId, responses }) =>
      Object.entries(responses as Responses).flatMap(([status, { content }]) =>
        Object.values(content ?? {}).map((one) => [`${operationId} ${status}`, one] as const),
      ),
    );
    const problems = Object.entries(document.components.responses as Responses).flatMap(
      ([name, { content }]) => Object.values(content ?? {}).map((one) => [name, one] as const),
    );
    expect(answers.length).toBeGreaterThan(80);
    expect(listWrongExamples([...answers, ...problems])).toEqual([]);
  });

  it('gives every body that is sent, by clients and to them, an example that is what its schema says', () => {
    const bodies = [...described, ...Object.values(document.webhooks).map(({ post }) => post)].flatMap(
      ({ operationId, requestBody }) =>
        Object.values(requestBody?.content ?? {}).map((content) => [operationId, content] as const),
    );
    expect(listWrongExamples(bodies)).toEqual([]);
  });

  it('describes every parameter and every tag', () => {
    const parameters = described.flatMap(({ operationId, parameters: own }) =>
      own.map((parameter) => [operationId, parameter] as const),
    );
    expect(parameters.filter(([, { description }]) => description.length < 6)).toEqual([]);
    expect(
      parameters
        .filter(
          ([, { schema, example }]) =>
            example === undefined &&
            !(
              'enum' in schema ||
              'default' in schema ||
              schema.type === 'boolean' ||
              schema.type === 'array'
            ),
        )
        .map(([id, { name }]) => `${id}: ${name}`),
    ).toEqual([]);
    expect(document.tags.filter(({ description }) => !(description?.length > 5))).toEqual([]);
  });

  it('names the errors that any request can meet on every operation', () => {
    for (const { operationId, responses } of described) {
      for (const [status, name] of [
        [405, 'MethodNotAllowed'],
        [413, 'ContentTooLarge'],
        [415, 'UnsupportedMediaType'],
        [429, 'TooManyRequests'],
      ] as const) {
        expect([operationId, responses[status]]).toEqual([
          operationId,
          { $ref: `#/components/responses/${name}` },
        ]);
      }
    }
  });

  it('has no pattern that only one dialect of regular expressions knows', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(
      ([, pattern]) => pattern!,
    );
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.filter((pattern) => /\(\?[=!<]|\\\\p\{/.test(pattern))).toEqual([]);
  });
});
