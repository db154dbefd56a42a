// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { FLOW, SUBJECTS } from '@chainwatch/events';
import { listUndocumented } from '@chainwatch/testing';
import { buildAsyncApi } from '../../../apps/api-gateway/src/asyncapi/build-asyncapi.ts';
import { DOCUMENTS } from './documents.ts';

type Document = Record<string, Record<string, { address?: string }>>;

describe.each(DOCUMENTS)('the AsyncAPI document for %s', (audience, path) => {
  const document = JSON.parse(JSON.stringify(buildAsyncApi(audience))) as Document;
  const find = (pointer: string): unknown => findIn(document, pointer);
  const kinds = Object.entries(SUBJECTS).filter(
    ([, { tokens }]) => audience === 'services' || (tokens as readonly string[]).includes('project_id'),
  );

  it('is what the subjects and the flow table say; else run tools/asyncapi/src/main.ts', () => {
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(document);
  });

  it('has the subjects that its readers may see, and no other', () => {
    expect(Object.keys(document.channels!).sort()).toEqual(kinds.map(([kind]) => kind).sort());
    if (audience === 'subscribers')
      for (const { address } of Object.values(document.channels!)) expect(address).toContain('{project_id}');
  });

  it('is valid AsyncAPI 3.0', () => {
    // Its bundle brings the meta-schema of draft 7 itself.
    const ajv = new Ajv({ strict: false, meta: false, validateSchema: false });
    addFormats.default(ajv);
    const validate = ajv.compile(specs.schemas['3.0.0'] as object);
    expect([validate(document), validate.errors]).toEqual([true, null]);
    expect(validate({ ...document, channels: { x: { address: 1 } } })).toBe(false);
  });

  it('has references that lead somewhere', () => {
    const pointers = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, pointer]) => pointer!,
    );
    expect(pointers.length).toBeGreaterThan(10);
    for (const pointer of new Set(pointers))
      expect([pointer, find(pointer)]).toEqual([pointer, expect.any(Object)]);
  });

  it('has payload schemas that compile, and every word of every address as a parameter', () => {
    for (const [kind, { tokens }] of kinds) {
      const { payload } = find(`components/messages/${kind}`) as { payload: object };
      expect(() =>
        addFormats.default(new Ajv({ strict: false })).compile({
          ...payload,
          components: document.components,
        }),
      ).not.toThrow();
      expect(document.channels![kind]!.address).toBe(
        [kind, ...tokens.map((token) => `{${token}}`)].join('.'),
      );
    }
  });

  it('describes every member of every schema, with an example', () => {
    expect(listUndocumented(document, '#')).toEqual([]);
  });

  it('gives every message an example that is what its schema says', () => {
    for (const [kind] of kinds) {
      const { payload, examples } = find(`components/messages/${kind}`) as {
        payload: object;
        examples: { payload: unknown }[];
      };
      const ajv = new Ajv({ strict: false });
      addFormats.default(ajv);
      const validate = ajv.compile({ ...payload, components: document.components });
      expect([kind, validate(examples[0]!.payload), validate.errors]).toEqual([kind, true, null]);
    }
  });

  it('has an operation for everything that its readers do', () => {
    const count =
      audience === 'subscribers'
        ? kinds.length
        : Object.values(FLOW).reduce(
            (sum, { produces, consumes }) => sum + produces.length + consumes.length,
            0,
          );
    expect(Object.keys(document.operations!)).toHaveLength(count);
  });
});

function findIn(document: Document, pointer: string): unknown {
  return pointer
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}
