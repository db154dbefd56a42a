// SPDX-License-Identifier: Apache-2.0
import { buildDocument } from '../openapi/build-document.ts';
import { operations } from '../route-table.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const document = buildDocument(operations, { namespaceLabel: 'svc' });

/** Each list of each query, with two values that it takes. */
const LISTS = Object.entries(document.paths)
  // Its answer has no end.
  .filter(([path]) => path !== '/events/stream')
  .flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && parameter.schema.type === 'array')
      .map(({ name, schema, example }) => {
        const { enum: values } = schema.items as { readonly enum?: readonly string[] };
        const [first = 'a', second = first] = values ?? (example as readonly string[] | undefined) ?? [];
        return { path, name, first, second };
      }),
  );
const PARAMETERS: Readonly<Record<string, string>> = { chain_gid: 'eip155:1', address: '0x1' };

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(() => world.stop());

function read(path: string, query: string) {
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => PARAMETERS[name] ?? '6f1d1f4e-0000-4000-8000-000000000001',
  );
  const client = path.startsWith('/management') ? world.management : world.api;
  return client.get(`${filled}?${query}`);
}

it('there are many', () => {
  expect(LISTS.length).toBeGreaterThan(25);
});

it.each(LISTS)('$path takes $name in the forms that clients send', async ({ path, name, first, second }) => {
  const [a, b] = [encodeURIComponent(first), encodeURIComponent(second)];
  const plain = await read(path, `${name}=${a}&${name}=${b}`);
  expect(plain.body.fields).toBeUndefined();
  for (const query of [
    `${name}=${a},${b}`,
    `${name}[]=${a}&${name}[]=${b}`,
    `${name}%5B%5D=${a}&${name}%5B%5D=${b}`,
    `${name}[0]=${a}&${name}[1]=${b}`,
    `${name}=${a}&${name}[]=${b}`,
  ]) {
    const { status, body } = await read(path, query);
    expect([query, status, body]).toEqual([query, plain.status, plain.body]);
  }
});

it('names a list that is wrong in brackets as one that is wrong without', async () => {
  const { body } = await world.api.get('/addresses?chain_families[]=x').expect(400);
  expect(body.fields).toEqual([
    { name: 'chain_families[0]', reason: expect.stringContaining('expected one of') },
  ]);
  const streamed = await world.api.get('/events/stream?types[]=x').expect(400);
  expect(streamed.body.fields).toEqual([{ name: 'types[0]', reason: expect.any(String) }]);
  const refused = await world.api.get('/addresses?is_monitored[]=true').expect(400);
  expect(refused.body.fields).toEqual([{ name: 'is_monitored[]', reason: expect.any(String) }]);
});
