// SPDX-License-Identifier: Apache-2.0
import {
  encodeAtomic,
  SettledChain,
  type AtomicPlan,
  type BlockPlan,
  type Hex,
} from '@chainwatch/tool-devnet/settled-chain';
import type { Block } from '@chainwatch/chain-core';
import { ALICE, startRig, type Rig } from './settlement/spec-settled.ts';
import { decodeAtomicTransactions } from './atomic-changes.ts';
import { evmNetworks } from './networks.ts';

// Imports and exports between Avalanche's chains, in a generated chain with an encoder of its own.

const BOB: Hex = `0x${'b0'.repeat(20)}`;
const NATIVE = 'eip155:43113/slip44:1';
const OTHER_ASSET: Hex = `0x${'ee'.repeat(32)}`;
const ONE = 1_000_000_000n;

const imported: AtomicPlan = { type: 'import', address: ALICE, amount: 12_500_000_000n };
const exported: AtomicPlan = { type: 'export', address: BOB, amount: 3n };

let chain: SettledChain;
let rig: Rig;
beforeEach(async () => {
  chain = await SettledChain.create();
  rig = await startRig(chain);
});
afterEach(() => rig.stop());

const moved = ({ balanceChanges }: Block): unknown[] =>
  balanceChanges
    .filter(({ reason }) => reason === 'atomic')
    .map(({ address, assetGid, amountRaw }) => [address, assetGid, amountRaw]);
const read = async (plan: BlockPlan): Promise<Block> => rig.readFresh(await chain.append(plan));

describe.each([
  ['before Helicon', { isSynchronous: true }],
  ['since Helicon', {}],
])('atomic transactions %s', (_, plan) => {
  it.each([
    ['without other transactions', []],
    ['beside other transactions', [{ to: ALICE, value: 5n }]],
  ])('are balance changes of the block %s, in wei', async (_name, transactions) => {
    const block = await read({ ...plan, transactions, atomic: [imported, exported] });
    expect(moved(block)).toEqual([
      [ALICE, NATIVE, 12_500_000_000n * ONE],
      [BOB, NATIVE, -3n * ONE],
    ]);
    expect(block.unknowns).toBeUndefined();
    expect(block.transactions).toHaveLength(transactions.length);
  });

  it('of other assets than AVAX change no native balance', async () => {
    expect(moved(await read({ ...plan, atomic: [{ ...imported, assetId: OTHER_ASSET }, exported] }))).toEqual(
      [[BOB, NATIVE, -3n * ONE]],
    );
  });

  it('alone, as they were encoded before Apricot Phase 5, are read too', async () => {
    for (const one of [imported, exported])
      expect(
        moved(await read({ ...plan, extraData: encodeAtomic([one], chain.chainId, false) })),
      ).toHaveLength(1);
  });

  it('that the header does not have are refused, and so are those that are left out', async () => {
    const other = encodeAtomic([{ ...imported, amount: 13n }], chain.chainId);
    for (const transactions of [[], [{ to: ALICE, value: 5n }]]) {
      const block = await chain.append({ ...plan, transactions, atomic: [imported] });
      for (const blockExtraData of [other, '0x', undefined]) {
        rig.node.alter = (call, result) =>
          call.method === 'eth_getBlockByHash' ? { ...(result as object), blockExtraData } : result;
        await expect(rig.readFresh(block, { takeUnknown: true })).rejects.toMatchObject({
          code: 'incomplete_block',
          message: expect.stringContaining('extDataHash'),
        });
      }
      rig.node.alter = undefined;
      expect(moved(await rig.readFresh(block))).toHaveLength(1);
    }
  });

  it('that nobody expects are refused', async () => {
    const block = await chain.append({ ...plan });
    rig.node.alter = (call, result) =>
      call.method === 'eth_getBlockByHash'
        ? { ...(result as object), blockExtraData: encodeAtomic([imported], chain.chainId) }
        : result;
    await expect(rig.readFresh(block)).rejects.toMatchObject({ code: 'incomplete_block' });
  });

  it.each<[string, (hex: Hex) => string, string]>([
    ['a type', (hex) => replaceAt(hex, 6, '00000007'), 'atomic-transaction:7'],
    ['a codec', (hex) => replaceAt(hex, 0, '0001'), 'atomic-codec:1'],
    ['an input', (hex) => hex.replace('00000005000000', '0000000f000000'), 'atomic-part:15'],
    ['bytes behind the end', (hex) => `${hex}00`, 'atomic-encoding:rest'],
  ])(
    'with %s that is not known are an unknown part; everything else is proved',
    async (_name, change, kind) => {
      const extraData = change(encodeAtomic([imported], chain.chainId)) as Hex;
      const block = await chain.append({ ...plan, transactions: [{ to: ALICE, value: 5n }], extraData });
      await expect(rig.readFresh(block)).rejects.toMatchObject({
        code: 'unknown_content',
        unknowns: [{ kind }],
      });
      const taken = await rig.readFresh(block, { takeUnknown: true });
      expect(taken.unknowns).toMatchObject([{ kind }]);
      expect(taken.transactions[0]).toMatchObject({ transfers: [{ to: ALICE, amountRaw: 5n }] });
      expect(taken.transactions[0]!.verification).not.toBe('unproved');
    },
  );

  it('before one that is not known count', async () => {
    const whole = encodeAtomic([imported, exported], chain.chainId);
    const at = whole.lastIndexOf('0000000100000005'); // the export and its network
    const extraData = `${whole.slice(0, at)}00000002${whole.slice(at + 8)}` as Hex;
    const block = await chain.append({ ...plan, extraData });
    const taken = await rig.readFresh(block, { takeUnknown: true });
    expect(taken.unknowns).toMatchObject([{ kind: 'atomic-transaction:2' }]);
    expect(moved(taken)).toEqual([[ALICE, NATIVE, 12_500_000_000n * ONE]]);
  });
});

it('reads the import of the public description of the format', () => {
  // https://docs.avax.network/build/references/coreth-atomic-transaction-serialization, with the credential behind it.
  const importTx =
    '000000000000000491060eabfb5a571720109b5896e5ff00010a1cfe6b103d585e6ebf27b97a1735d891ad56056d9c01f18f43f58b5c784ad07a4a49cf3d1f11623804b5cba2c6bf000000016613a40dcdd8d22ea4aa99a4c84349056317cf550b6685e045e459954f258e5900000001dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db00000005000000746a528800000000010000000000000001' +
    '0eb5ccb85c29009b6060decb353a38ea3b52cd20000000746a528800dbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db';
  const credential = `0000000100000009000000010${'0'.repeat(129)}`;
  expect(decodeAtomicTransactions(Buffer.from(`0000${importTx}${credential}`, 'hex'))).toEqual({
    moves: [
      {
        address: '0x0eb5ccb85c29009b6060decb353a38ea3b52cd20',
        amount: 500_000_000_000n,
        assetId: '0xdbcf890f77f49b96857648b72b77f9f82937f28a68704af05da0dc12ba53f2db',
      },
    ],
  });
});

it('never throws, whatever the bytes are', () => {
  const whole = Buffer.from(encodeAtomic([imported, exported], 43_113).slice(2), 'hex');
  for (let length = 1; length < whole.length; length += 1)
    expect(decodeAtomicTransactions(whole.subarray(0, length)).unknown).toBeDefined();
  const huge = Buffer.from(`0000ffffffff${'00'.repeat(200)}`, 'hex');
  expect(decodeAtomicTransactions(huge).unknown).toBeDefined();
});

it('every network of Avalanche knows its AVAX', () => {
  const networks = evmNetworks.filter(({ traits }) => traits?.['stack'] === 'avalanche');
  expect(networks.map(({ traits }) => traits?.['avaxAssetId'])).toEqual([
    '0x21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff',
    '0x3d9bdac0ed1d761330cf680efdeb1a42159eb387d6d2950c96f7d28f61bbe2aa',
  ]);
});

function replaceAt(hex: Hex, byte: number, digits: string): string {
  const at = 2 + 2 * byte;
  return `${hex.slice(0, at)}${digits}${hex.slice(at + digits.length)}`;
}
