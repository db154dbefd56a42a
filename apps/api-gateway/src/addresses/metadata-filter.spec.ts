// SPDX-License-Identifier: Apache-2.0
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const NAMES = [
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '$.a',
  "a' OR true --",
  '%',
  'a.b',
  '"',
];
const addressOf = (index: number): string => `0x${String(index + 1).padStart(40, '0')}`;

let world: SpecWorld;
beforeAll(async () => {
  world = await startSpecWorld();
  for (const [index, name] of NAMES.entries())
    await world.api
      .post('/addresses/external')
      .send({ value: addressOf(index), chain_family: 'evm', metadata: { [name]: 'x', n: index } })
      .expect(201);
  for (const [index, city] of ['Oslo', 'Bergen'].entries())
    await world.api
      .post('/addresses/external')
      .send({ value: addressOf(100 + index), chain_family: 'evm', metadata: { shop: '7', city } })
      .expect(201);
});
afterAll(() => world.stop());

const find = async (query: Readonly<Record<string, string>>): Promise<string[]> => {
  const { body } = await world.api.get(`/addresses?${new URLSearchParams(query)}`).expect(200);
  return body.items.map(({ address }: { address: string }) => address);
};

it.each(NAMES)('a member named %s is a member like any other', async (name) => {
  expect(await find({ [`metadata.${name}`]: 'x' })).toEqual([addressOf(NAMES.indexOf(name))]);
  expect(await find({ [`metadata.${name}`]: 'y' })).toEqual([]);
});

it.each([
  ['metadata[shop]=7', 2],
  ['metadata[shop]=7&metadata[city]=Oslo', 1],
  ['metadata[shop]=7&metadata.city=Oslo', 1],
  ['metadata[city]=Oslo&metadata[city]=Bergen', 2],
  ['metadata[city][]=Oslo&metadata[city][]=Bergen', 2],
  ['metadata[city][0]=Oslo&metadata[city][1]=Bergen', 2],
  ['metadata.city=Oslo&metadata[city]=Bergen', 2],
  ['metadata[shop]=8', 0],
])('%s, as clients write an object, finds %i', async (query, count) => {
  for (const path of ['/addresses', '/addresses/hd']) {
    const { body } = await world.api.get(`${path}?${encodeURI(query)}`).expect(200);
    expect(body.meta.total).toBe(path === '/addresses' ? count : 0);
  }
});

it.each(['metadata=7', 'metadata[]=7', 'metadata[a][b]=7', 'metadata[a=7', 'metadata=7&metadata[shop]=7'])(
  '%s is no filter, and is refused',
  async (query) => {
    await world.api.get(`/addresses?${encodeURI(query)}`).expect(400);
  },
);

it('a filter by __proto__ is refused: left out, it would let everything through', async () => {
  for (const query of ['metadata.__proto__=x', 'metadata.__proto__=x&metadata.n=1', 'metadata[__proto__]=x'])
    await world.api.get(`/addresses?${query}`).expect(400);
});

it('metadata or a filter with a member __proto__ is refused, not stored without it', async () => {
  const member = '"__proto__":{"a":1},"b":2';
  for (const [path, body] of [
    [
      '/addresses/external',
      `{"value":"${addressOf(NAMES.length)}","chain_family":"evm","metadata":{${member}}}`,
    ],
    ['/channels', `{"name":"c","url":"https://1.1.1.1/","filters":{"metadata":{"__proto__":"1","b":"2"}}}`],
  ] as const)
    await world.api.post(path).type('json').send(body).expect(400);
  // An entry of a batch is refused alone.
  const { body } = await world.api
    .post('/addresses/external/batch')
    .type('json')
    .send(
      `{"chain_family":"evm","addresses":[{"value":"${addressOf(NAMES.length)}","metadata":{${member}}},{"value":"${addressOf(NAMES.length)}"}]}`,
    )
    .expect(200);
  expect(body.items).toMatchObject([
    { status: 'invalid', problem: { fields: [{ name: 'addresses.0.metadata' }] } },
    { status: 'created', address: { metadata: {} } },
  ]);
});
