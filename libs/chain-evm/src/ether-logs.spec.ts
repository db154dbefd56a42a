// SPDX-License-Identifier: Apache-2.0
import type { Block, Transfer } from '@chainwatch/chain-core';
import { keccak256, toBytes } from 'viem';
import { decodeBlock } from './decode-block.ts';
import type { InternalTransfer } from './read-traces.ts';
import { ETHER_LOG_ADDRESS } from './decode-logs.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import type { RawLog } from './raw-block.ts';
import { assemble, fixedItems } from './spec-block.ts';
import type { Case, Made } from './spec-block.ts';
import { verifyBlock } from './verify-block.ts';

const topicOf = (signature: string): string => keccak256(toBytes(signature));
const word = (hex: string): string => `0x${hex.padStart(64, '0')}`;
const address = (digits: string): string => `0x${digits.repeat(20)}`;
const [sender, payee, contract, other] = [address('a1'), address('b2'), address('c3'), address('d4')];

const move = (from: string, to: string, amount: number, of = ETHER_LOG_ADDRESS): RawLog => ({
  address: of,
  topics: [topicOf('Transfer(address,address,uint256)'), word(from.slice(2)), word(to.slice(2))],
  data: word(amount.toString(16)),
});
const burn = (event: string, from: string, amount: number): RawLog => ({
  address: ETHER_LOG_ADDRESS,
  topics: [topicOf(`${event}(address,uint256)`), word(from.slice(2))],
  data: word(amount.toString(16)),
});

async function read(
  name: string,
  items: readonly Made[],
  traced?: readonly InternalTransfer[],
): Promise<Block> {
  const network = evmNetworks.find((candidate) => candidate.name === name)!;
  const made: Case = await assemble(items, 30_000_000);
  const json = (text: string): unknown => (JSON.parse(text) as { result: unknown }).result;
  const verified = await verifyBlock(
    made.ref,
    { block: parseRawBlock(json(made.body), 'ethereum'), receipts: parseRawReceipts(json(made.receipts)) },
    readTraits(network),
  );
  return decodeBlock(network, verified, traced && items.map(() => ({ isFailed: false, transfers: traced })));
}

const item = (logs: readonly RawLog[], over: Partial<Made> = {}): Made => ({
  ...fixedItems()[2]!,
  logs,
  ...over,
});
const short = (block: Block | undefined, at = 0): unknown[] | undefined =>
  block?.transactions[at]?.transfers.map(
    ({ index, type, from, to, amountRaw, logIndex, assetGid }: Transfer) => [
      index,
      type,
      from,
      to,
      Number(amountRaw),
      logIndex,
      assetGid.split('/')[1],
    ],
  );

describe('ether that is logged', () => {
  const logs = [
    move(sender, payee, 5),
    move(contract, other, 7, contract),
    move(payee, other, 3),
    move(payee, other, 3),
  ];
  const native = (name: string): string =>
    evmNetworks.find((candidate) => candidate.name === name)!.native!.gid.split('/')[1]!;

  it.each(['ethereum', 'sepolia', 'base', 'avalanche', 'polygon', 'bsc', 'arbitrum', 'anvil'])(
    'is told once on %s, as what it is',
    async (name) => {
      const block = await read(name, [item(logs)]);
      const token = `${evmNetworks.find((candidate) => candidate.name === name)!.tokenNamespace}:${contract}`;
      expect(short(block)).toEqual([
        [0, 'native', sender, payee, 5, undefined, native(name)],
        [1, 'token', contract, other, 7, 1, token],
        [2, 'internal', payee, other, 3, undefined, native(name)],
        [3, 'internal', payee, other, 3, undefined, native(name)],
      ]);
      expect(block.touchedAssets).toEqual([]);
    },
  );

  it('is told once where the node traces, too, and stands in the same places', async () => {
    const traced = [
      { from: payee, to: other, amountRaw: 3n },
      { from: payee, to: other, amountRaw: 3n },
    ];
    expect(short(await read('ethereum', [item(logs)], traced))).toEqual(
      short(await read('ethereum', [item(logs)])),
    );
  });

  it('is completed by traces, but for what stays where it is', async () => {
    const traced = [
      { from: payee, to: payee, amountRaw: 9n },
      ...[1, 2, 3].map(() => ({ from: payee, to: other, amountRaw: 3n })),
      { from: other, to: payee, amountRaw: 3n },
    ];
    expect(
      short(await read('ethereum', [item(logs)], traced))
        ?.slice(2)
        .map((transfer) => (transfer as unknown[]).slice(0, 5)),
    ).toEqual([
      [2, 'internal', payee, other, 3],
      [3, 'internal', payee, other, 3],
      [4, 'internal', payee, other, 3],
      [5, 'internal', other, payee, 3],
    ]);
  });

  it('comes from the traces alone before the fork', async () => {
    const traced = [
      { from: payee, to: payee, amountRaw: 9n },
      { from: payee, to: other, amountRaw: 3n },
    ];
    expect(
      short(await read('ethereum', [item([])], traced))
        ?.slice(1)
        .map((transfer) => (transfer as unknown[]).slice(0, 5)),
    ).toEqual([
      [1, 'internal', payee, payee, 9],
      [2, 'internal', payee, other, 3],
    ]);
  });

  it('of a payment that is made twice, by the transaction and inside of it, is told twice', async () => {
    const block = await read('ethereum', [item([move(sender, payee, 5), move(sender, payee, 5)])]);
    expect(short(block)?.map((transfer) => (transfer as unknown[]).slice(0, 5))).toEqual([
      [0, 'native', sender, payee, 5],
      [1, 'internal', sender, payee, 5],
    ]);
  });

  it('of a creation with an endowment is told once', async () => {
    const creation = fixedItems()[3]!;
    const made = { ...creation, tx: { ...creation.tx, value: '0x5' } };
    const created = (await read('ethereum', [made])).transactions[0]!.createdContract!;
    const block = await read('ethereum', [{ ...made, logs: [move(sender, created, 5)] }]);
    expect(short(block)?.map((transfer) => (transfer as unknown[]).slice(0, 5))).toEqual([
      [0, 'native', sender, created, 5],
    ]);
  });

  it.each(['Burn', 'Selfdestruct'])('and burned (%s) leaves its account for nobody', async (event) => {
    const block = await read('ethereum', [item([move(sender, payee, 5), burn(event, contract, 8)])]);
    expect(block.transactions[0]?.transfers.slice(1)).toEqual([
      { index: 1, type: 'internal', assetGid: 'eip155:1/slip44:60', from: contract, amountRaw: 8n },
    ]);
    expect(block.touchedAssets).toEqual([]);
    // The prover looks for senders and receivers of transfers only.
  });

  it('of a transaction that failed is not told', async () => {
    expect(short(await read('ethereum', [item([], { isFailed: true })]))).toEqual([]);
  });
});

describe('POL that its own contract moves', () => {
  const mirror = '0x0000000000000000000000000000000000001010';
  const { tx } = fixedItems()[2]!;
  const items = [item([move(sender, other, 5, mirror)], { tx: { ...tx, to: mirror } })];
  const told = [
    [0, 'native', sender, mirror, 5, undefined, 'slip44:966'],
    [1, 'internal', mirror, other, 5, undefined, 'slip44:966'],
  ];

  it('is told once, as the native coin, and not as a token beside it', async () => {
    const block = await read('polygon', items);
    expect(short(block)).toEqual(told);
  });

  it('is told once where the node traces, too', async () => {
    const traced = [{ from: mirror, to: other, amountRaw: 5n }];
    expect(short(await read('polygon', items, traced))).toEqual(told);
  });

  /** As Bor logs a movement (`token` is the contract itself), and the contract its own transfers once more. */
  const moved = (from: string, to: string, amount: number, token = mirror): RawLog => ({
    address: mirror,
    topics: [
      topicOf('LogTransfer(address,address,address,uint256,uint256,uint256,uint256,uint256)'),
      ...[token, from, to].map((one) => word(one.slice(2))),
    ],
    data: `${word(amount.toString(16))}${'00'.repeat(4 * 32)}`,
  });
  const fee: RawLog = {
    ...moved(sender, payee, 77),
    topics: [word('4d'), ...moved(sender, payee, 77).topics.slice(1)],
  };

  it.each([
    ['its own address', mirror],
    ['its address on Ethereum', address('7d')],
  ])('is told once where Bor logs it as well, and the contract with %s', async (_, token) => {
    const logs = [
      moved(sender, mirror, 5),
      moved(mirror, other, 5),
      move(sender, other, 5, mirror),
      moved(sender, other, 5, token),
      fee,
    ];
    const logged = [item(logs, { tx: { ...tx, to: mirror } })];
    expect(short(await read('polygon', logged))).toEqual(told);
    expect(short(await read('polygon', logged, [{ from: mirror, to: other, amountRaw: 5n }]))).toEqual(told);
  });

  it('is told where a contract pays, proved by the log and not by the trace', async () => {
    const paid = [item([moved(sender, payee, 5), moved(payee, other, 3), moved(payee, other, 3), fee])];
    const expected = [
      [0, 'native', sender, payee, 5, undefined, 'slip44:966'],
      [1, 'internal', payee, other, 3, undefined, 'slip44:966'],
      [2, 'internal', payee, other, 3, undefined, 'slip44:966'],
    ];
    const traced = [3n, 3n].map((amountRaw) => ({ from: payee, to: other, amountRaw }));
    for (const block of [await read('polygon', paid), await read('polygon', paid, traced)]) {
      expect(short(block)).toEqual(expected);
      for (const { isAttested } of block.transactions[0]!.transfers) expect(isAttested).toBeUndefined();
    }
  });
});
