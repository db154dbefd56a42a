// SPDX-License-Identifier: Apache-2.0
import { SettledChain } from '@chainwatch/tool-devnet/settled-chain';
import type { Block, ChainClient } from '@chainwatch/chain-core';
import {
  ALICE,
  amountsIn,
  amountsOf,
  fuji,
  makeLongChain,
  refOf,
  settlerOf,
  standingOf,
  START_MS,
  startRig,
  TOKEN,
  trueFuji,
} from './spec-settled.ts';
import type { Rig } from './spec-settled.ts';

let chain: SettledChain;
let rig: Rig;

beforeAll(async () => {
  chain = await makeLongChain();
  rig = await startRig(chain);
});
beforeEach(() => {
  Object.assign(rig.node, { head: undefined, finalized: undefined, alter: undefined });
  rig.node.asked.length = 0;
});
afterAll(() => rig.stop());

const first = (): number => chain.blocks[0]!.number;
const provable = () => chain.blocks.slice(0, 200);
const late = () => provable().filter(({ isSynchronous, made }) => !isSynchronous && made.length > 0);

describe('a chain that settles its blocks late', () => {
  it('is as long and as uneven as it should be', () => {
    const headers = chain.blocks.filter(({ isSynchronous }) => !isSynchronous);
    const steps = headers.map((block) => block.settledHeight - chain.find(block.number - 1)!.settledHeight);
    expect(provable()).toHaveLength(200);
    expect(late().length).toBeGreaterThan(80);
    expect(
      provable().filter(({ isSynchronous, made }) => !isSynchronous && made.length === 0).length,
    ).toBeGreaterThan(20);
    expect(steps.filter((step) => step === 0).length).toBeGreaterThan(30);
    expect(steps.filter((step) => step > 1).length).toBeGreaterThan(30);
    expect(steps[0]).toBe(0);
  });

  it('reads settling until the settling header is served, then proved by it, with one client', async () => {
    const client = rig.connect();
    let pending: SettledChain['last'][] = [];
    let count = 0;
    for (const head of chain.blocks) {
      rig.node.head = head.number;
      const still: typeof pending = [];
      for (const block of [...pending, head]) {
        const settler = settlerOf(chain, block);
        if (!isLate(block) || (settler !== undefined && settler.number <= head.number)) {
          await expectProved(client.readBlock(refOf(block)), block);
          continue;
        }
        const read = await client.readBlock(refOf(block));
        expect([head.number, block.number, standingOf(read)]).toEqual([
          head.number,
          block.number,
          'settling',
        ]);
        expect(read.provedBy).toBeUndefined();
        expect(amountsOf(read)).toEqual(amountsIn(block));
        still.push(block);
        count += 1;
      }
      pending = still;
    }
    expect(pending).toEqual([]);
    expect(count).toBeGreaterThan(200);
  });

  it('reads the same with a client of its own for each block', async () => {
    for (const block of provable().filter(({ number }) => number % 3 === 0)) {
      const settler = settlerOf(chain, block);
      rig.node.head = settler === undefined ? block.number : settler.number - 1;
      expect(standingOf(await rig.readFresh(block))).toBe(isLate(block) ? 'settling' : 'proved');
      rig.node.head = undefined;
      await expectProved(rig.readFresh(block), block);
    }
  });

  it('reads the same with many reads at once, and asks for each block once', async () => {
    const client = rig.connect();
    const blocks = provable().filter(({ number }) => number > first() + 60);
    await client.readBlock(refOf(blocks[0]!));
    for (let start = 0; start < blocks.length; start += 16)
      await Promise.all(
        blocks.slice(start, start + 16).map((block) => expectProved(client.readBlock(refOf(block)), block)),
      );
    for (const { hash } of blocks) {
      expect([hash, timesAsked('eth_getBlockReceipts', hash)]).toEqual([hash, 1]);
      expect([hash, timesAsked('eth_getBlockByHash', hash)]).toEqual([hash, 1]);
    }
  });

  it('reads the same with so many at once that most of them are not kept', async () => {
    const client = rig.connect();
    await Promise.all(provable().map((block) => expectProved(client.readBlock(refOf(block)), block)));
  });
});

it('its node answers what else a client asks', async () => {
  const client = rig.connect();
  const payee = chain.find(first() + 150)!;
  rig.node.head = payee.number;
  await client.verifyChain();
  expect(await client.readHead()).toMatchObject(refOf(payee));
  expect(await client.findFinalized()).toEqual(refOf(chain.find(payee.settledHeight)!));
  const token = `${fuji.gid}/erc20:${TOKEN}`;
  const received = (kind: 'token' | 'native', to: number): bigint =>
    chain.blocks
      .filter(({ number }) => number <= to)
      .flatMap(({ made }) => made)
      .filter(({ receipt }) => !receipt.isFailed)
      .map(({ json, receipt }) =>
        kind === 'token'
          ? receipt.logs.filter(({ topics }) => topics.length === 3).map(({ data }) => BigInt(data))
          : [json['to'] === ALICE ? BigInt(json['value'] as string) : 0n],
      )
      .flat()
      .reduce((sum, amount) => sum + amount, 0n);
  const queries = [fuji.native!.gid, token].map((assetGid) => ({ address: ALICE, assetGid }));
  for (const at of [payee, chain.find(first() + 60)!])
    expect(await client.readBalances(refOf(at), queries)).toEqual([
      received('native', at.number),
      received('token', at.number),
    ]);
  expect(received('token', payee.number)).toBeGreaterThan(received('token', first() + 60));
  expect(await client.readTokens!([token])).toEqual([{ name: 'TKN', symbol: 'TKN', decimals: 6 }]);
  const { transactions } = await client.readBlock(refOf(late()[5]!));
  await client.proveSenders!(refOf(late()[5]!), transactions);
});

describe('requests', () => {
  const blocksAtHead = () =>
    chain.blocks.filter(({ number }) => number >= first() + 100 && number < first() + 150);

  it('an old block costs a client that knows nothing a bounded number of calls', async () => {
    const block = late()[60]!;
    await expectProved(rig.readFresh(block), block);
    const { number, settledHeight } = settlerOf(chain, block)!;
    const start = chain.find(number - 1)!.settledHeight + 1;
    const settled = chain.blocks.filter((other) => other.number >= start && other.number <= settledHeight);
    expect(rig.count('eth_getBlockByHash')).toBe(settled.filter(({ made }) => made.length > 0).length);
    expect(rig.count('eth_getBlockReceipts')).toBe(rig.count('eth_getBlockByHash'));
    expect(rig.count('eth_getBlockByNumber')).toBeLessThanOrEqual(16 + settled.length);
  });

  it('at the head and again after settlement each body and receipt is asked for once', async () => {
    const client = rig.connect();
    rig.node.head = first() + 60;
    await client.readBlock(refOf(chain.find(first() + 60)!));
    rig.node.asked.length = 0;
    const reads: Block[] = [];
    for (const block of blocksAtHead()) {
      rig.node.head = block.number;
      reads.push(await client.readBlock(refOf(block)));
    }
    expect(reads.filter(({ verification }) => verification === 'settling').length).toBeGreaterThan(25);
    const headersAtHead = rig.node.asked.filter(({ method }) => method === 'eth_getBlockByNumber').length;
    rig.node.head = undefined;
    for (const block of blocksAtHead()) await expectProved(client.readBlock(refOf(block)), block);
    for (const { hash } of blocksAtHead()) {
      expect(timesAsked('eth_getBlockByHash', hash)).toBe(1);
      expect(timesAsked('eth_getBlockReceipts', hash)).toBe(1);
    }
    expect(rig.count('eth_getBlockByHash')).toBeLessThanOrEqual(blocksAtHead().length + 8);
    // One batch of 16 for each block whose evidence is not there, and few for all that is settled.
    expect(headersAtHead).toBeLessThanOrEqual(16 * blocksAtHead().length);
    expect(rig.count('eth_getBlockByNumber') - headersAtHead).toBeLessThanOrEqual(32);
  });

  it('traces are asked for once, when a block is read, and not for those settled with it', async () => {
    const client = rig.connect();
    const traced = (block: SettledChain['last']): object[] =>
      block.made.map(({ json }) => ({
        type: 'call',
        action: { callType: 'call', from: json.from, to: json['to'], value: json['value'] },
        blockHash: block.hash,
        transactionHash: json.hash,
        traceAddress: [],
      }));
    rig.node.alter = ({ method, params }, result) =>
      method === 'trace_block' ? traced(chain.find(Number(params[0]))!) : result;
    const block = late()[40]!;
    rig.node.head = block.number;
    expect(standingOf(await client.readBlock(refOf(block)))).toBe('settling');
    rig.node.head = undefined;
    await expectProved(client.readBlock(refOf(block)), block);
    await expectProved(client.readBlock(refOf(block)), block);
    expect(rig.count('trace_block')).toBe(1);
    expect(rig.count('eth_getBlockReceipts')).toBeGreaterThanOrEqual(1);
    const other = late()[41]!;
    await expectProved(client.readBlock(refOf(other)), other);
    expect(rig.count('trace_block')).toBe(2);
  });

  it('any number of blocks that wait ask together for what follows the last header', async () => {
    const client = rig.connect(trueFuji);
    const waiting = late().slice(60, 64);
    rig.node.head = waiting.at(-1)!.number;
    for (const block of waiting) await client.readBlock(refOf(block));
    const asked = rig.count('eth_getBlockByNumber');
    expect(asked).toBeLessThanOrEqual(16);
    for (const block of waiting) expect(standingOf(await client.readBlock(refOf(block)))).toBe('settling');
    expect(rig.count('eth_getBlockByNumber')).toBe(asked);
  });

  it('no more headers are asked for than there can be', async () => {
    const young = await SettledChain.create({ startMs: START_MS });
    const block = await young.append({ transactions: [{ to: ALICE, value: 5n }] });
    const last = await young.append({ timestampMs: Date.now() + 3_600_000 });
    const other = await startRig(young);
    const client = other.connect(trueFuji);
    await client.readBlock(refOf(last));
    expect(standingOf(await client.readBlock(refOf(block)))).toBe('settling');
    expect(other.count('eth_getBlockByNumber')).toBe(2);
    await other.stop();
  });

  it('a block that is younger than the usual delay costs no header', async () => {
    const client = rig.connect({ ...trueFuji, evidenceDelayMs: 1e15 });
    const block = late()[10]!;
    expect(standingOf(await client.readBlock(refOf(block)))).toBe('settling');
    expect(rig.count('eth_getBlockByNumber')).toBe(0);
  });

  it('blocks before Helicon are proved by their own headers, as before', async () => {
    const client = rig.connect();
    const early = provable().filter(({ isSynchronous, made }) => isSynchronous && made.length > 0);
    for (const block of early) {
      expect(standingOf(await client.readBlock(refOf(block)))).toBe('proved');
    }
    await client.readBlock(refOf(late()[0]!));
    expect(standingOf(await client.readBlock(refOf(early.at(-1)!)))).toBe('proved');
    expect(rig.count('eth_getBlockByHash')).toBeLessThanOrEqual(early.length + 8);
  });

  it('a node that answers no list of receipts is asked for each', async () => {
    rig.node.alter = ({ method }, result) => {
      if (method === 'eth_getBlockReceipts')
        throw new Error('the method eth_getBlockReceipts is not available');
      return result;
    };
    const block = late()[20]!;
    await expectProved(rig.readFresh(block), block);
  });

  it('a node that has no headers beyond its last block may say so in words', async () => {
    const block = late()[30]!;
    rig.node.head = block.number + 1;
    rig.node.alter = ({ method }, result) => {
      if (method === 'eth_getBlockByNumber' && result === null)
        throw new Error('cannot query unfinalized data');
      return result;
    };
    expect(standingOf(await rig.readFresh(block))).toBe('settling');
  });
});

function isLate({
  isSynchronous,
  made,
}: {
  readonly isSynchronous: boolean;
  readonly made: readonly unknown[];
}): boolean {
  return !isSynchronous && made.length > 0;
}

async function expectProved(
  reading: ReturnType<ChainClient['readBlock']>,
  block: SettledChain['last'],
): Promise<void> {
  const read = await reading;
  expect([block.number, standingOf(read)]).toEqual([block.number, 'proved']);
  const settler = isLate(block) ? settlerOf(chain, block) : undefined;
  expect(read.provedBy).toEqual(settler && refOf(settler));
  expect(amountsOf(read)).toEqual(amountsIn(block));
  expect(read.transactions.map(({ hash }) => hash)).toEqual(block.made.map(({ json }) => json.hash));
}

function timesAsked(method: string, hash: string): number {
  return rig.node.asked.filter((call) => call.method === method && call.params[0] === hash).length;
}
