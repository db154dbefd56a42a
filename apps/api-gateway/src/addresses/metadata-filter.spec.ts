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

it('a filter by __proto__ is refused: left out, it would let everything through', async () => {
  for (const query of ['metadata.__proto__=x', 'metadata.__proto__=x&metadata.n=1'])
    await world.api.get(`/addresses?${query}`).expect(400);
});

it('metadata or a filter with a member __proto__ is refused, not stored without it', async () => {
  const member = '"__proto__":{"a":1},"b":2';
  for (const [path, body] of [
    [
      '/addresses/external',
      `{"value":"${addressOf(NAMES.length)}","chain_family":"evm","metadata":{${member}}}`,
    ],
    [
      '/addresses/external/batch',
      `{"chain_family":"evm","addresses":[{"value":"${addressOf(NAMES.length)}","metadata":{${member}}}]}`,
    ],
    ['/channels', `{"name":"c","url":"https://1.1.1.1/","filters":{"metadata":{"__proto__":"1","b":"2"}}}`],
  ] as const)
    await world.api.post(path).type('json').send(body).expect(400);
});
