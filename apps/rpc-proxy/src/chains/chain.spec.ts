// SPDX-License-Identifier: Apache-2.0
import { BlockTime, FOREVER } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import type { Upstream } from '../upstreams/upstream.ts';
import { Chain } from './chain.ts';

const START_MS = 1_790_000_000_000;

/** Nodes that serve, at no height yet. */
async function openChain(gid: string, nodeCount: number): Promise<Chain> {
  const network = findNetwork(gid)!;
  const chain = new Chain({
    network,
    family: (await findFamily(network.namespace))!,
    clock: { now: 0 } as never,
    ruleOf: () => ({}) as never,
    filters: {} as never,
  });
  chain.upstreams = Array.from({ length: nodeCount }, () => ({
    isChecked: true,
    isDown: false,
    isWrongChain: false,
    pausedUntil: 0,
    head: undefined,
  })) as unknown as Upstream[];
  return chain;
}

function headAt(number: number, blockMs: number) {
  const timeMs = Math.floor((START_MS + number * blockMs) / 1_000) * 1_000;
  return { number, hash: `${number}`, final: undefined, timeMs };
}

/** Whether a node serves that is so many blocks behind the other. */
function serves(chain: Chain, behind: readonly number[]): boolean[] {
  const [, node] = chain.upstreams as [Upstream, Upstream];
  return behind.map((blocks) => {
    chain.setHead(node, { number: chain.headNumber - blocks, hash: 'x', final: undefined });
    return chain.serves(node);
  });
}

/** Shows the heads of a chain, every `every`-th. */
function follow(chain: Chain, blockMs: number, every = 1): void {
  for (let number = 1_000; number <= 1_200; number += every)
    chain.setHead(chain.upstreams[0]!, headAt(number, blockMs));
}

describe('a node behind the others', () => {
  it('serves at 2 s a block until it is more than three blocks behind', async () => {
    const chain = await openChain('eip155:10', 2);
    follow(chain, 2_000);
    expect(chain.blockTime.measuredMs).toBe(2_000);
    expect(serves(chain, [3, 4])).toEqual([true, false]);
  });

  it.each([1, 5, 10])('serves at 200 ms a block until it is 5 s behind, by every %i. head', async (every) => {
    // Configured as 2 s.
    const chain = await openChain('eip155:10', 2);
    expect(chain.blockTime.ms).toBe(2_000);
    follow(chain, 200, every);
    expect(chain.blockTime.ms).toBe(200);
    expect(serves(chain, [10, 25, 26, 30])).toEqual([true, true, false, false]);
  });

  it('serves on Base from the start', async () => {
    const chain = await openChain('eip155:8453', 2);
    chain.setHead(chain.upstreams[0]!, headAt(1_000, 200));
    expect(chain.blockTime.measuredMs).toBeUndefined();
    expect(serves(chain, [10, 30])).toEqual([true, false]);
  });

  it('has no measure on a local chain', async () => {
    const chain = await openChain('eip155:31337', 2);
    follow(chain, 10);
    expect(chain.blockTime.ms).toBe(1_000);
    expect(serves(chain, [5, 6])).toEqual([true, false]);
  });
});

describe('what a chain keeps of its head', () => {
  const lifetimeOf = (chain: Chain, params: readonly unknown[], finalNumber = 5) =>
    chain.cacheRules
      .get('eth_getBlockByNumber')!
      .lifetimeOf({ params, finalNumber, result: Buffer.from('{}') });

  it('lasts for a quarter of the time that was measured', async () => {
    const chain = await openChain('eip155:10', 1);
    expect(lifetimeOf(chain, ['latest', false])).toEqual({ ms: 500, untilHead: true });
    follow(chain, 200);
    expect(lifetimeOf(chain, ['latest', false])).toEqual({ ms: 50, untilHead: true });
    expect(lifetimeOf(chain, ['0x64', false])).toEqual({ ms: 200, untilHead: true });
    expect(lifetimeOf(chain, ['0x1', false])).toBe(FOREVER);
  });

  it('never lasts longer than configured', async () => {
    const chain = await openChain('eip155:10', 1);
    follow(chain, 12_000);
    expect(chain.blockTime).toBeInstanceOf(BlockTime);
    expect([chain.blockTime.ms, lifetimeOf(chain, ['latest', false])!.ms]).toEqual([12_000, 500]);
  });
});

describe('a node that has not answered a call for a while', () => {
  it.each([
    ['nothing since', 0, true],
    ['the call', 150, false],
  ])(
    'and does not say in time that it is there is silent if it has answered %s',
    async (_what, heardAt, isDown) => {
      const chain = await openChain('eip155:1', 2);
      const [upstream] = chain.upstreams as [Upstream];
      Object.assign(upstream, {
        lastHeardAt: 0,
        silentAt: -Infinity,
        fallSilent: () => Object.assign(upstream, { isDown: true }),
      });
      let answer: (isThere: boolean) => void = () => undefined;
      const probed = new Promise<boolean>((resolve) => (answer = resolve));
      chain.probe = () => probed;
      const call = { upstream, startedAt: 0, isQueued: false, isSent: true };
      expect(chain.lost.has(call, 79)).toBe(false);
      expect(chain.lost.has(call, 80)).toBe(false);
      Object.assign(upstream, { lastHeardAt: heardAt });
      answer(false);
      await probed;
      expect(upstream.isDown).toBe(isDown);
    },
  );
});

it('an answer that reveals a head tells no time', async () => {
  const chain = await openChain('eip155:10', 1);
  follow(chain, 2_000);
  for (let number = 1_201; number < 1_300; number += 1) chain.learnHead(chain.upstreams[0]!, number);
  expect(chain.blockTime.ms).toBe(2_000);
});
