// SPDX-License-Identifier: Apache-2.0
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
let isAway: boolean;
const open = (): FilterRegistry =>
  new FilterRegistry({
    now: () => now,
    cache: {
      findBytes: async (key) => stored.get(key),
      setBytes: async (key, value) => {
        if (isAway) return false;
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
  isAway = false;
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

describe('a node that gives an id again, because it restarted', () => {
  const stranger = { ...owner, keyId: 'l' };

  it.each([1, 2])('has one filter of it, the newer one: %i replicas', async (count) => {
    const [one, two] = count === 1 ? [open(), undefined] : [open(), open()];
    const first = (await one.add(owner, { upstream, nodeId: '"0x1"' }))!;
    const [others, elsewhere] = [
      (await one.add(owner, { upstream, nodeId: '"0x2"' }))!,
      (await one.add(owner, { upstream: other, nodeId: '"0x1"' }))!,
    ];
    const newer = two ?? one;
    // The other replica has it in memory, too.
    expect((await newer.find(owner, first, [upstream]))?.nodeId).toBe('"0x1"');
    const second = (await newer.add(stranger, { upstream, nodeId: '"0x1"' }))!;
    for (const registry of [one, newer]) {
      expect(await registry.find(owner, first, [upstream])).toBeUndefined();
      expect((await registry.find(stranger, second, [upstream]))?.nodeId).toBe('"0x1"');
      expect((await registry.find(owner, others, [upstream]))?.nodeId).toBe('"0x2"');
      expect((await registry.find(owner, elsewhere, [other]))?.nodeId).toBe('"0x1"');
    }
    // A replica that starts now does not find it either.
    expect(await open().find(owner, first, [upstream])).toBeUndefined();
    expect((await open().find(stranger, second, [upstream]))?.nodeId).toBe('"0x1"');
  });

  it('has the newer one also where Redis was away, or where there is none', async () => {
    for (const registry of [open(), new FilterRegistry({ now: () => now })]) {
      const first = (await registry.add(owner, { upstream, nodeId: '"0x1"' }))!;
      isAway = true;
      const second = (await registry.add(stranger, { upstream, nodeId: '"0x1"' }))!;
      isAway = false;
      expect(await registry.find(owner, first, [upstream])).toBeUndefined();
      expect((await registry.find(stranger, second, [upstream]))?.nodeId).toBe('"0x1"');
      expect(await registry.find(owner, first, [upstream])).toBeUndefined();
    }
  });

  it('has the newer one where it comes while somebody asks for the older one', async () => {
    const registry = open();
    const first = (await registry.add(owner, { upstream, nodeId: '"0x1"' }))!;
    const [found, second] = await Promise.all([
      registry.find(owner, first, [upstream]),
      registry.add(stranger, { upstream, nodeId: '"0x1"' }),
    ]);
    expect(found).toBeUndefined();
    expect((await registry.find(stranger, second!, [upstream]))?.nodeId).toBe('"0x1"');
  });
});

it('is gone for every replica once it is removed, however its id is written', async () => {
  const one = open();
  const id = (await one.add(owner, { upstream, nodeId: '"0x1"' }))!;
  one.remove(owner, `0x00${id.slice(2).toUpperCase()}`);
  for (const registry of [one, open()]) expect(await registry.find(owner, id, [upstream])).toBeUndefined();
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
