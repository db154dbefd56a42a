// SPDX-License-Identifier: Apache-2.0
import {
  BlockTime,
  FOREVER,
  type AskNode,
  type AskPaths,
  type ChainFamilyName,
  type ChainNotation,
} from '@chainwatch/chain-core';
import { readFixture, readRecording } from './contract/fixtures.ts';
import { findNetwork, loadFamilies } from './index.ts';

const families = await loadFamilies();
const NONSENSE: readonly unknown[] = [null, true, '', 'nonsense', '0x', [], {}, [[]], { number: {} }, '-1'];
const BYTES = ['null', '{}', '[]', '"0x"', 'nonsense', '', '{"blockNumber":"0xzz"}'].map((text) =>
  Buffer.from(text),
);

describe.each(families.map((family) => [family.name, family] as const))('the RPC of %s', (name, family) => {
  const { rpc } = family;
  const { rpc: fixture, ...names } = readFixture(name);
  const network = findNetwork(names.network)!;
  const otherNetwork = findNetwork(names.otherNetwork)!;

  it('says what each method is', () => {
    expect(fixture.read.map((method) => kindOf(family, method))).toEqual(fixture.read.map(() => 'read'));
    for (const method of fixture.write) expect(['send', 'once']).toContain(kindOf(family, method));
    for (const method of fixture.locked) expect(rpc.methods.locked.test(method)).toBe(true);
    for (const method of [...fixture.read, ...fixture.write])
      expect(rpc.methods.locked.test(method)).toBe(false);
  });

  it.each([
    '',
    'nonsense',
    'eth_',
    'constructor',
    '__proto__',
    'toString',
    'a'.repeat(100),
    ' getblock',
    'x\neth_call',
  ])('knows no method %j', (method) => {
    expect(kindOf(family, method)).toBeUndefined();
    expect(rpc.createCacheRules(new BlockTime(network)).get(method)).toBeUndefined();
    expect(rpc.blockReaders.get(method)).toBeUndefined();
  });

  it('keeps and reads answers of methods that only read, and asks with one', () => {
    const methods = [
      ...rpc.createCacheRules(new BlockTime(network)).keys(),
      ...rpc.blockReaders.keys(),
      rpc.probe,
    ];
    expect(methods.filter((method) => kindOf(family, method) !== 'read')).toEqual([]);
    // An expression with a state would say something else each time.
    for (const expression of [...Object.values(rpc.methods), rpc.paths?.pattern, rpc.subscriptions?.methods])
      expect(expression?.flags ?? '').not.toMatch(/[gy]/);
  });

  it('keeps nothing for good of what it says is never kept so, and takes anything for an answer', () => {
    const samples = [
      [],
      ['latest'],
      ['0x1'],
      [0],
      [1, 0],
      ['x', { commitment: 'confirmed' }],
      ...NONSENSE.map((each) => [each, each, each]),
    ];
    const told: string[] = [];
    const rules = rpc.createCacheRules(new BlockTime(network));
    expect(rules.size).toBeGreaterThan(0);
    for (const [method, rule] of rules) {
      for (const params of samples) {
        for (const result of BYTES) {
          const lifetime = rule.lifetimeOf({ params, finalNumber: 5, result });
          if (lifetime === FOREVER && rule.mayLast?.(JSON.stringify(params)) === false)
            told.push(`${method} ${JSON.stringify(params)} ${result.toString()}`);
        }
      }
    }
    expect(told).toEqual([]);
  });

  it('passes on errors that say nothing, and reads no block and no transaction out of nonsense', () => {
    for (const error of [
      {},
      { code: 'x' },
      { message: 5 },
      { code: null, message: '' },
      { code: -32601, message: 'Method not found' },
    ])
      expect(rpc.judgeError(error)).toBe('answer');
    for (const body of BYTES) {
      expect(rpc.judgeText?.(body) ?? 'answer').toBe('answer');
      expect(rpc.isBusyPage?.(503, body) ?? false).toBe(false);
      for (const reader of rpc.blockReaders.values()) expect(reader.read(body, '["latest"]')).toBeUndefined();
      for (const method of fixture.write)
        expect(rpc.findKnownTransaction?.(method, '"nonce too low"', body)).toBeUndefined();
    }
  });

  it('reads its health from what a node of it said', async () => {
    const by = fixture.recordedBy ?? name;
    const { head } = readRecording(by);
    const health = await rpc.readHealth(replay(by), network);
    expect(health).toMatchObject({ isRightChain: true, head: { number: head.number } });
    expect([head.hash, `${head.number}`]).toContain(health.head?.hash);
    expect(health.head?.final ?? 0).toBeLessThanOrEqual(head.number);
    expect(await rpc.readHealth(replay(by), otherNetwork)).toMatchObject({ isRightChain: false });
  });

  it('takes an answer that it does not know for no health', async () => {
    expect(await rpc.readHealth(async () => undefined, network)).toEqual({
      isRightChain: undefined,
      head: undefined,
    });
    for (const answer of NONSENSE) {
      const ask: AskNode = async <T>() => answer as T;
      const health = await rpc.readHealth(ask, otherNetwork);
      expect([answer, health.isRightChain === true, health.head]).toEqual([answer, false, undefined]);
    }
    const failure = new Error('down');
    await expect(rpc.readHealth(() => Promise.reject(failure), network)).rejects.toBe(failure);
  });

  it('names its interfaces, each once', () => {
    const names = family.interfaces.map((each) => each.name);
    expect(new Set(names).size).toBe(names.length);
    for (const each of names) expect(each).toMatch(/^[a-z]+$/);
    for (const { exampleUrl } of family.interfaces) expect(URL.canParse(exampleUrl)).toBe(true);
    if (rpc.paths !== undefined) expect(names).toContain(rpc.paths.interfaceName);
  });

  it('says for every filter and subscription that it does not know what a node would', () => {
    expect(rpc.filters === undefined).toBe(rpc.methods.filter === undefined);
    if (rpc.filters !== undefined) {
      expect(kindOf(family, rpc.filters.ends)).toBe('filter');
      for (const method of [rpc.filters.ends, 'other'])
        expect(() => JSON.parse(`{${rpc.filters!.unknownAnswer(method)}}`) as unknown).not.toThrow();
    }
    for (const method of ['nonsense', '', 'subscribe'])
      expect(rpc.subscriptions?.methods.test(method) ?? false).toBe(false);
    expect(rpc.subscriptions?.readNotifiedHead?.(() => undefined)).toBeUndefined();
    expect(rpc.subscriptions?.readNotifiedHead?.(() => '"nonsense"')).toBeUndefined();
  });

  if (rpc.paths === undefined) return;
  const { paths } = rpc;

  it('serves its paths and no other', () => {
    expect(fixture.paths!.served.filter((path) => !paths.pattern.test(path))).toEqual([]);
    expect(fixture.paths!.refused.filter((path) => paths.pattern.test(path))).toEqual([]);
  });

  it('finds an endpoint of either interface', () => {
    const [first, ...others] = family.interfaces.map((each) => each.name);
    const endpointUrl = 'https://node.example.com/key';
    const otherUrls = Object.fromEntries(others.map((other) => [other, `https://${other}.example.com/`]));
    for (const endpoint of [
      { endpointUrl },
      { endpointUrl, otherUrls },
      { endpointUrl, interfaceName: others[0]! },
      { endpointUrl: `${endpointUrl}/jsonrpc` },
    ]) {
      const { rpc: ofCalls, paths: ofPaths } = paths.urlsOf(endpoint);
      expect([URL.canParse(ofCalls), ofPaths]).toEqual([true, endpoint.endpointUrl]);
    }
    expect(first).toBe(paths.interfaceName);
    expect(paths.urlsOf({ endpointUrl, otherUrls }).rpc).toBe(Object.values(otherUrls)[0]);
  });

  it('reads the health of its paths from what a node said, and none from nonsense', async () => {
    const { head } = readRecording(name);
    const health = await paths.readHealth(replayPaths(name), network);
    expect(health).toMatchObject({ isRightChain: true, head });
    expect(await paths.readHealth(replayPaths(name), otherNetwork)).toMatchObject({ isRightChain: false });
    for (const answer of NONSENSE) {
      const ask: AskPaths = async <T>() => answer as T;
      await expect(paths.readHealth(ask, network)).rejects.toThrow();
    }
  });
});

function kindOf({ rpc: { methods } }: ChainNotation, method: string): string | undefined {
  const kinds = ['send', 'once', 'filter', 'read', 'locked'] as const;
  return kinds.find((kind) => methods[kind]?.test(method));
}

function replay(name: ChainFamilyName): AskNode {
  const { exchanges } = readRecording(name);
  return async <T>(method: string, params: readonly unknown[] = []): Promise<T | undefined> => {
    const found = exchanges.find(
      (each) => each.method === method && JSON.stringify(each.params) === JSON.stringify(params),
    );
    const beside = params.length === 0 ? (readFixture(name).rpc.alsoAnswers?.[method] as T) : undefined;
    return (found?.answer as { result?: T } | undefined)?.result ?? beside;
  };
}

function replayPaths(name: ChainFamilyName): AskPaths {
  const { exchanges } = readRecording(name);
  return async <T>(calls: Parameters<AskPaths>[0]): Promise<T> => {
    for (const [path, body] of calls) {
      const found = exchanges.find(
        (each) => each.path === path && JSON.stringify(each.params) === JSON.stringify(body),
      );
      if (found !== undefined) return found.answer as T;
    }
    throw new Error(`expected a recording of ${calls[0]![0]}, got none`);
  };
}
