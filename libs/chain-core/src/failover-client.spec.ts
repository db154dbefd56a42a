// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Block, BlockHeader, BlockRef } from './block.ts';
import type { ChainClient, ReadBlockOptions } from './chain-family.ts';
import {
  BlockNotFoundError,
  ChainClientError,
  IncompleteBlockError,
  InvalidAssetError,
  UnknownContentError,
  WrongChainError,
} from './errors.ts';
import { createFailoverClient } from './failover-client.ts';
import type { FailoverClient, FailoverOptions } from './failover-client.ts';
import type { Network } from './network.ts';

const network = { gid: 'eip155:1', blockTimeMs: 12_000 } as Network;

/** An endpoint whose state the test sets; every call it serves is counted. */
class FakeClient implements ChainClient {
  readonly network = network;
  readonly label: string;
  failure: Error | undefined;
  isWrongChain = false;
  head = 100;
  blockMs = 1_000;
  fork = 'a';
  callCount = 0;
  isClosed = false;
  /** Finds something unknown in every block. */
  isBlind = false;
  /** What happens while it serves. */
  onCall = (): void => undefined;

  constructor(label: string) {
    this.label = label;
  }

  verifyChain(): Promise<void> {
    return this.isWrongChain ? Promise.reject(new WrongChainError('other chain')) : Promise.resolve();
  }
  readHead(): Promise<BlockHeader> {
    return this.#serve(() => this.#header(this.head));
  }
  findFinalized(): Promise<BlockRef | undefined> {
    return this.#serve(() => this.#header(this.head - 64));
  }
  findHeaderByNumber(number: number): Promise<BlockHeader | undefined> {
    return this.#serve(() => (number <= this.head ? this.#header(number) : undefined));
  }
  findHeaderByHash(hash: string): Promise<BlockHeader | undefined> {
    return this.#serve(() => (hash.startsWith(this.fork) ? this.#header(Number(hash.slice(1))) : undefined));
  }
  readHeaders(from: number, to: number): Promise<BlockHeader[]> {
    return this.#serve(() => Array.from({ length: to - from + 1 }, (_, index) => this.#header(from + index)));
  }
  subscribeHeads(onHead: (header: BlockHeader) => void): () => void {
    onHead(this.#header(this.head));
    return () => undefined;
  }
  readBlock(ref: BlockRef, _signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block> {
    if (this.isBlind && options?.takeUnknown !== true)
      return Promise.reject(
        new UnknownContentError('new', [
          { kind: 'transaction-type:0x7d', expected: '0x0 to 0x4', got: '0x7d' },
        ]),
      );
    return this.#serve(() => ({
      ...this.#header(ref.number),
      transactions: [],
      balanceChanges: [],
      touchedAssets: [],
    }));
  }
  readBalances(): Promise<(bigint | undefined)[]> {
    return this.#serve(() => [1n]);
  }
  close(): void {
    this.isClosed = true;
  }

  #header(number: number): BlockHeader {
    return {
      number,
      hash: `${this.fork}${number}`,
      parentHash: `${this.fork}${number - 1}`,
      timestamp: (number * this.blockMs) / 1_000,
    };
  }
  #serve<T>(answer: () => T): Promise<T> {
    this.callCount++;
    this.onCall();
    return this.failure === undefined ? Promise.resolve(answer()) : Promise.reject(this.failure);
  }
}

interface Fixture {
  readonly fakes: [FakeClient, FakeClient, FakeClient];
  readonly client: FailoverClient;
  readonly clock: { nowMs: number };
}

function build(options: FailoverOptions = {}): Fixture {
  const fakes: Fixture['fakes'] = [new FakeClient('one'), new FakeClient('two'), new FakeClient('three')];
  const clock = { nowMs: 1_000_000 };
  return {
    fakes,
    clock,
    client: createFailoverClient(fakes, { now: () => clock.nowMs, probeIntervalMs: Infinity, ...options }),
  };
}

const down = new ChainClientError('connection refused');

describe('createFailoverClient', () => {
  it('refuses to be without clients', () => {
    expect(() => createFailoverClient([])).toThrow('expected at least one client');
  });

  it('stays with the first endpoint while it answers', async () => {
    const { client, fakes } = build();
    await client.readHead();
    await client.readBalances({ number: 1, hash: 'a1' }, []);
    expect(fakes.map(({ callCount }) => callCount)).toEqual([2, 0, 0]);
    expect(client.label).toBe('one');
  });

  it.each([down, new IncompleteBlockError('a log is missing'), new BlockNotFoundError('lagging')])(
    'asks the next endpoint after %s',
    async (failure) => {
      const { client, fakes } = build();
      fakes[0].failure = failure;
      expect((await client.readBlock({ number: 5, hash: 'a5' })).hash).toBe('a5');
      expect(client.label).toBe('two');
    },
  );

  it('stays with the endpoint that answered last, also when the first is back', async () => {
    const { client, fakes, clock } = build();
    fakes[0].failure = down;
    await client.readHead();
    fakes[0].failure = undefined;
    clock.nowMs += 3_600_000;
    await client.readHead();
    expect(client.label).toBe('two');
  });

  it('does not use an endpoint of another chain, and says so in its health', async () => {
    const { client, fakes } = build();
    fakes[0].isWrongChain = true;
    fakes[0].fork = 'z';
    expect((await client.readHead()).hash).toBe('a100');
    expect(client.clients[0]).toEqual({
      label: 'one',
      isPrimary: false,
      isHealthy: false,
      lastError: 'other chain',
      failedAtMs: 1_000_000,
      headNumber: 100,
      headMs: 0,
    });
  });

  it('says of each endpoint what it did last, and what it failed with before it came back', async () => {
    const { client, fakes, clock } = build();
    fakes[0].failure = new ChainClientError('connect to 10.1.2.3 refused', { publicMessage: 'no answer' });
    await client.readHead();
    clock.nowMs += 5_000;
    fakes[0].failure = undefined;
    fakes[1].failure = down;
    await client.readHead();
    expect(client.clients).toEqual([
      {
        label: 'one',
        isPrimary: true,
        isHealthy: true,
        headNumber: 100,
        headMs: 0,
        answeredAtMs: 1_005_000,
        failedAtMs: 1_000_000,
        lastError: 'no answer',
      },
      {
        label: 'two',
        isPrimary: false,
        isHealthy: false,
        headNumber: 100,
        headMs: 0,
        answeredAtMs: 1_000_000,
        failedAtMs: 1_005_000,
        lastError: 'connection refused',
      },
      { label: 'three', isPrimary: false, isHealthy: true },
    ]);
  });

  it('says how long an endpoint took to tell its head', async () => {
    const { client, fakes, clock } = build();
    fakes[0].onCall = () => void (clock.nowMs += 120);
    await client.readHead();
    expect(client.clients[0]).toMatchObject({ headMs: 120, answeredAtMs: 1_000_120 });
  });

  it('notices when the endpoint in use turns to another chain', async () => {
    const { client, fakes, clock } = build();
    await client.readHead();
    fakes[0].isWrongChain = true;
    clock.nowMs += 30_000;
    await client.readHead();
    expect(client.label).toBe('two');
  });

  it('asks every endpoint for a block before it fails, and fails with what tells most', async () => {
    const { client, fakes } = build();
    fakes[0].failure = new BlockNotFoundError('lagging');
    fakes[1].failure = new IncompleteBlockError('a log is missing');
    fakes[2].failure = down;
    await expect(client.readBlock({ number: 5, hash: 'a5' })).rejects.toBe(fakes[1].failure);
    expect(fakes.map(({ callCount }) => callCount)).toEqual([1, 1, 1]);
  });

  it('throws at once what no endpoint would answer otherwise', async () => {
    const { client, fakes } = build();
    fakes[0].failure = new InvalidAssetError('not an asset');
    await expect(client.readHead()).rejects.toBe(fakes[0].failure);
    expect(fakes[1].callCount).toBe(0);
  });

  it('throws at once when the caller aborted', async () => {
    const { client, fakes } = build();
    fakes[0].failure = down;
    await expect(client.readHead(AbortSignal.abort())).rejects.toBe(down);
    expect(client.clients.every(({ isHealthy }) => isHealthy)).toBe(true);
  });

  it('passes a failed endpoint over for a time that doubles', async () => {
    const { client, fakes, clock } = build({ cooldownMs: 1_000, cooldownMsMax: 60_000 });
    for (const fake of fakes) fake.failure = down;
    const openFor = async (): Promise<number> => {
      await expect(client.readHead()).rejects.toBe(down);
      const start = clock.nowMs;
      while (client.clients[0]?.isHealthy !== true) clock.nowMs += 500;
      return clock.nowMs - start;
    };
    expect([await openFor(), await openFor(), await openFor()]).toEqual([1_000, 2_000, 4_000]);
  });

  it('does not count a missing block against an endpoint', async () => {
    const { client, fakes } = build();
    fakes[0].failure = new BlockNotFoundError('lagging');
    await client.readBlock({ number: 5, hash: 'a5' });
    expect(client.clients[0]?.isHealthy).toBe(true);
  });

  it('looks for a hash everywhere before it is unknown', async () => {
    const { client, fakes } = build();
    fakes[2].fork = 'b';
    expect((await client.findHeaderByHash('b7'))?.number).toBe(7);
    expect(await client.findHeaderByHash('c7')).toBeUndefined();
  });

  it('counts the endpoints that have a block as canonical', async () => {
    const { client, fakes } = build();
    expect(await client.countAgreeing({ number: 50, hash: 'a50' })).toBe(3);
    fakes[0].fork = 'b';
    fakes[1].head = 49;
    expect(await client.countAgreeing({ number: 50, hash: 'a50' })).toBe(1);
    fakes[2].failure = down;
    expect(await client.countAgreeing({ number: 50, hash: 'a50' })).toBe(0);
  });

  describe('and blocks with something unknown', () => {
    const ref = { number: 50, hash: 'a50' };

    it('asks every endpoint first, and then says so whatever the others lack', async () => {
      const { client, fakes } = build();
      fakes[0].isBlind = true;
      fakes[1].failure = new IncompleteBlockError('expected 2 receipts, got 1');
      expect(await client.readBlock(ref)).toMatchObject(ref);
      expect(client.label).toBe('three');
      fakes[2].isBlind = true;
      await expect(client.readBlock(ref)).rejects.toBeInstanceOf(UnknownContentError);
      expect(client.clients.map(({ isHealthy }) => isHealthy)).toEqual([true, false, true]);
    });

    it('takes them from the first endpoint that has them whole, and knows which one it was', async () => {
      const { client, fakes } = build();
      fakes[0].failure = new IncompleteBlockError('expected 2 receipts, got 1');
      fakes[1].isBlind = true;
      const block = await client.readBlock(ref, undefined, { takeUnknown: true });
      expect(client.endpointOf(block)).toBe('two');
      expect(client.endpointOf({ ...block })).toBeUndefined();
    });

    it('reads them from all other endpoints; who has none, or serves another chain, says nothing', async () => {
      const { client, fakes } = build();
      for (const fake of fakes) fake.isBlind = true;
      expect(
        (await client.readBlockElsewhere(ref, 'one')).map(({ label, block }) => [label, block.hash]),
      ).toEqual([
        ['two', 'a50'],
        ['three', 'a50'],
      ]);
      expect((await client.readBlockElsewhere(ref, 'gone')).map(({ label }) => label)).toEqual([
        'one',
        'two',
        'three',
      ]);
      fakes[1].failure = down;
      fakes[2].isWrongChain = true;
      expect(await createFailoverClient(fakes).readBlockElsewhere(ref, 'one')).toEqual([]);
    });
  });

  it('asks another endpoint for coins elsewhere, the first one last, and stays with that', async () => {
    const { fakes } = build();
    const asked: string[] = [];
    for (const fake of fakes)
      Object.assign(fake, {
        coins: {
          scanCoins: () => {
            asked.push(fake.label);
            return fake.failure === undefined ? Promise.resolve(undefined) : Promise.reject(fake.failure);
          },
        },
      });
    const client = createFailoverClient(fakes);
    await client.coins!.scanCoins([]);
    await client.scanCoinsElsewhere!([]);
    fakes[1].failure = down;
    fakes[2].failure = down;
    await client.scanCoinsElsewhere!([]);
    expect(asked).toEqual(['one', 'two', 'two', 'three', 'one']);
    expect(client.label).toBe('one');
  });

  it('leaves a primary that lags behind the others', async () => {
    const { client, fakes, clock } = build({ probeIntervalMs: 15_000 });
    await client.readHead();
    fakes[1].head = 200;
    clock.nowMs += 15_000;
    await client.readHead();
    for (let turn = 0; turn < 100 && client.label === 'one'; turn++) await Promise.resolve();
    expect(client.label).toBe('two');
  });

  it.each([
    [10, 12_000, 'one'],
    [11, 12_000, 'two'],
    [20, 200, 'one'],
    [26, 200, 'two'],
  ])('%i blocks behind at %i ms a block, it is with %s', async (blocks, blockMs, label) => {
    const { client, fakes, clock } = build({ probeIntervalMs: 15_000 });
    for (const fake of fakes) fake.blockMs = blockMs;
    for (let number = 100; number < 200; number += 1) {
      fakes[0].head = number;
      await client.readHead();
    }
    fakes[1].head = 199 + blocks;
    clock.nowMs += 15_000;
    await client.readHead();
    for (let turn = 0; turn < 100 && client.label === 'one'; turn++) await Promise.resolve();
    expect(client.label).toBe(label);
  });

  it('ends a subscription when it moves to another endpoint', async () => {
    const { client, fakes } = build();
    const heads: number[] = [];
    const ends: string[] = [];
    client.subscribeHeads?.(
      ({ number }) => heads.push(number),
      ({ message }) => ends.push(message),
    );
    fakes[0].failure = down;
    await client.readHead();
    expect([heads, ends]).toEqual([[100], ['moved to two']]);
  });

  it('closes every client', () => {
    const { client, fakes } = build();
    client.close();
    expect(fakes.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('answers as long as one endpoint does, whatever the others do and whenever', async () => {
    const step = fc.record({
      broken: fc.subarray([0, 1, 2], { maxLength: 2 }),
      waitMs: fc.integer({ min: 0, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { client, fakes, clock } = build();
        for (const { broken, waitMs } of steps) {
          fakes.forEach((fake, index) => (fake.failure = broken.includes(index) ? down : undefined));
          clock.nowMs += waitMs;
          expect((await client.readHead()).number).toBe(100);
          expect(broken.map((index) => fakes[index]?.label)).not.toContain(client.label);
        }
      }),
    );
  });
});
