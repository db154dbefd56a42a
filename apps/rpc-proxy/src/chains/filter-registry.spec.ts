import { FilterRegistry } from './filter-registry.ts';

const MINUTE = 60_000;
const owner = { chainGid: 'eip155:1', keyId: 'k' };
const upstream = {
  source: { url: 'https://node.example/secret', weight: 1, headers: { authorization: 'Bearer secret' } },
} as never;
const other = { source: { url: 'https://other.example', weight: 1, headers: {} } } as never;

let now: number;
let stored: Map<string, Buffer>;
let writes: number;
const open = (): FilterRegistry =>
  new FilterRegistry({
    now: () => now,
    cache: {
      findBytes: async (key) => stored.get(key),
      setBytes: async (key, value) => {
        writes += 1;
        stored.set(key, value);
        return true;
      },
    },
  });
beforeEach(() => {
  now = 1_000_000;
  stored = new Map();
  writes = 0;
});

it('forgets a filter that nobody asked for in five minutes, and keeps one that is asked for', async () => {
  const registry = new FilterRegistry({ now: () => now });
  const [kept, left] = [
    (await registry.add(owner, { upstream, nodeId: '"0x1"' }))!,
    (await registry.add(owner, { upstream, nodeId: '"0x2"' }))!,
  ];
  for (let minute = 0; minute < 5; minute += 1) {
    now += MINUTE;
    expect(await registry.find(owner, kept, [upstream])).toEqual({ upstream, nodeId: '"0x1"' });
  }
  expect(await registry.find(owner, left, [upstream])).toBeUndefined();
  now += 5 * MINUTE;
  expect(await registry.find(owner, kept, [upstream])).toBeUndefined();
});

it('is another registry’s by what Redis holds, which is told of its use once a minute', async () => {
  const [one, two] = [open(), open()];
  const id = (await one.add(owner, { upstream, nodeId: '"0x1"' }))!;
  const found = async () => (await two.find(owner, id, [other, upstream]))?.nodeId;
  expect(await found()).toBe('"0x1"');
  const before = writes;
  for (let count = 0; count < 10; count += 1) expect(await found()).toBe('"0x1"');
  expect(writes).toBe(before);
  now += 2 * MINUTE;
  expect([await found(), writes]).toEqual(['"0x1"', before + 1]);
  expect(await two.find(owner, id, [other])).toBeUndefined();
  for (const stranger of [
    { ...owner, keyId: 'l' },
    { ...owner, chainGid: 'eip155:2' },
  ])
    expect(await two.find(stranger, id, [upstream])).toBeUndefined();
  // Nothing of the node's address is stored.
  expect([...stored].join(' ')).not.toContain('secret');
});

it('does not believe what somebody else wrote', async () => {
  const [one, two] = [open(), open()];
  const id = (await one.add(owner, { upstream, nodeId: '"0x1"' }))!;
  const [[name, value]] = [...stored] as [[string, Buffer]];
  for (const text of [
    '',
    'x',
    'x y',
    `${String(value).split(' ')[0]} "0x1","0x2"`,
    `${String(value).split(' ')[0]} 1`,
  ]) {
    stored.set(name, Buffer.from(text));
    expect(await two.find(owner, id, [upstream])).toBeUndefined();
  }
});
