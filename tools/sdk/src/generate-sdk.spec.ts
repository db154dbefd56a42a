// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createClient } from '@chainwatch/sdk';
import { describeApi } from './describe-api.ts';
import { generateSdk } from './generate-sdk.ts';

/** Of path parameters, in their order. */
const VALUES = ['one', 'two', 'three'];

describe('libs/sdk/src/generated', () => {
  it('is what the OpenAPI document says; else run tools/sdk/src/main.ts', async () => {
    for (const [path, text] of await generateSdk()) {
      const isCurrent = readFileSync(path, 'utf8') === text;
      expect([path, isCurrent]).toEqual([path, true]);
    }
  });
});

describe('the client', () => {
  const listed = Object.entries(describeApi().paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, parameters }]) => ({
      method: method.toUpperCase(),
      path,
      operationId,
      ids: parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    })),
  );

  it('has one method for each operation, which calls it with all that the operation takes', async () => {
    const asked: string[] = [];
    const client = createClient({
      baseUrl: 'https://api.example.com/v1',
      apiKey: 'key',
      fetch: async (input) => {
        const { method, url } = input as Request;
        asked.push(`${method} ${new URL(url).pathname.replace('/v1', '')}`);
        return new Response('{"items":[],"meta":{}}', { headers: { 'content-type': 'application/json' } });
      },
    });
    for (const group of Object.values(client)) {
      for (const [name, method] of listMethods(group)) {
        if (name === 'stream' || name === 'poll') continue;
        await method.call(group, ...VALUES.slice(0, countParams(method)), {}, {});
      }
    }
    const expected = listed
      .filter(({ operationId }) => operationId !== 'streamEvents')
      .map(({ method, path, ids }) => {
        const filled = ids.reduce((text, name, index) => text.replace(`{${name}}`, VALUES[index]!), path);
        return `${method} ${filled}`;
      });
    expect(asked.sort()).toEqual(expected.sort());
  });
});

type Method = (...args: unknown[]) => Promise<unknown>;

function listMethods(group: object): [string, Method][] {
  const names = new Set<string>();
  for (let type = group; type !== Object.prototype; type = Object.getPrototypeOf(type) as object)
    for (const name of Object.getOwnPropertyNames(type)) names.add(name);
  names.delete('constructor');
  return [...names].map((name) => [name, (group as Record<string, Method>)[name]!]);
}

/** Of the path: those that are none of these three. */
function countParams(method: Method): number {
  const [, list = ''] = /^\w+\(([^)]*)\)/.exec(method.toString()) ?? [];
  return list.split(/,\s*/).filter((name) => !['', 'body', 'query', 'options'].includes(name)).length;
}
