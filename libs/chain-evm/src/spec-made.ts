// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import fc from 'fast-check';
import type { RawLog, RawTransaction, RawWithdrawal } from './raw-block.ts';
import type { Made } from './spec-block.ts';

// Random blocks, and what readers see of one.

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const approvalTopic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925';

export const plain = ({
  number,
  hash,
  parentHash,
  timestamp,
  transactions,
  balanceChanges,
  touchedAssets,
  mentions,
}: Block): Block => ({
  number,
  hash,
  parentHash,
  timestamp,
  transactions,
  balanceChanges,
  touchedAssets,
  mentions,
});

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value) => `0x${Buffer.from(value).toString('hex')}`);
const data = fc.oneof(
  { weight: 3, arbitrary: fc.constant('0x') },
  {
    weight: 3,
    arbitrary: fc.uint8Array({ maxLength: 200 }).map((value) => `0x${Buffer.from(value).toString('hex')}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0x00',
      '0x7f',
      '0x80',
      `0x${'ab'.repeat(55)}`,
      `0x${'cd'.repeat(56)}`,
      `0x${'ef'.repeat(300)}`,
    ),
  },
);
const quantity = (max: bigint): fc.Arbitrary<string> =>
  fc
    .oneof(fc.bigInt(0n, max), fc.constantFrom(0n, 1n, 0x7fn, 0x80n, 0xffn, 0x100n))
    .map((value) => `0x${value.toString(16)}`);
// Few, so that they meet.
export const address = fc.oneof(
  fc.constantFrom(...[1, 2, 3, 4].map((digit) => `0x${String(digit).repeat(40)}`)),
  hex(20),
);
const topicOf = (of: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  of.map((value) => `0x${'0'.repeat(24)}${value.slice(2)}`);

const log: fc.Arbitrary<RawLog> = fc.oneof(
  fc.record({
    address,
    topics: fc.tuple(fc.constant(transferTopic), topicOf(address), topicOf(address)),
    data: hex(32),
  }),
  fc.record({
    address,
    topics: fc.tuple(fc.constant(transferTopic), topicOf(address), topicOf(address), hex(32)),
    data: fc.constant('0x'),
  }),
  fc.record({ address, topics: fc.constant([transferTopic]), data: hex(96) }),
  fc.record({
    address,
    topics: fc.tuple(fc.constant(approvalTopic), topicOf(address), topicOf(address)),
    data: hex(32),
  }),
  fc.record({ address, topics: fc.array(hex(32), { maxLength: 4 }), data }),
);

// Never so small that a transaction takes less than a word: its leaf would stand in its branch, which no chain has.
const scalar = fc.bigInt(2n ** 200n, 2n ** 256n - 1n).map((value) => `0x${value.toString(16)}`);
const signature = {
  r: scalar,
  s: scalar,
  yParity: fc.constantFrom('0x0', '0x1'),
  v: fc.constantFrom('0x0', '0x1'),
};
const call = {
  from: address,
  nonce: quantity(2n ** 64n - 1n),
  gas: quantity(2n ** 32n),
  value: quantity(2n ** 90n),
  input: data,
  to: fc.oneof({ weight: 8, arbitrary: address }, { weight: 1, arbitrary: fc.constant(null) }),
};
const accessList = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.record({ address, storageKeys: fc.array(hex(32), { maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  },
);
const fees = {
  maxFeePerGas: quantity(2n ** 64n),
  maxPriorityFeePerGas: quantity(2n ** 64n),
  chainId: quantity(2n ** 32n),
  accessList,
};

const transaction: fc.Arbitrary<RawTransaction> = fc
  .oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        ...call,
        type: fc.constantFrom('0x0', undefined),
        gasPrice: quantity(2n ** 64n),
        r: signature.r,
        s: signature.s,
        v: fc.constantFrom('0x1b', '0x1c', '0xf4f5', '0x2'),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x1'),
        gasPrice: quantity(2n ** 64n),
        chainId: fees.chainId,
        accessList,
        ...signature,
      }),
    },
    { weight: 5, arbitrary: fc.record({ ...call, type: fc.constant('0x2'), ...fees, ...signature }) },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x2'),
        ...fees,
        r: signature.r,
        s: signature.s,
        v: signature.v,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x3'),
        ...fees,
        ...signature,
        to: address,
        maxFeePerBlobGas: quantity(2n ** 64n),
        blobVersionedHashes: fc.array(hex(32), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x4'),
        ...fees,
        ...signature,
        to: address,
        authorizationList: fc.array(
          fc.record({
            chainId: fees.chainId,
            address,
            nonce: quantity(100n),
            r: signature.r,
            s: signature.s,
            yParity: signature.yParity,
          }),
          { minLength: 1, maxLength: 2 },
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        ...call,
        type: fc.constant('0x7e'),
        sourceHash: hex(32),
        mint: fc.oneof(quantity(2n ** 80n), fc.constant(null)),
        isSystemTx: fc.boolean(),
      }),
    },
  )
  .map((tx) => ({ hash: '0x', ...tx }) as RawTransaction);

export const made: fc.Arbitrary<Made> = fc.record({
  tx: transaction,
  logs: fc.array(log, { maxLength: 4 }),
  gas: fc.integer({ min: 0, max: 1e7 }),
  isFailed: fc.boolean(),
  created: address,
  extra: fc.constantFrom(
    {},
    { l1Fee: '0x10', l1FeeScalar: '0.684' },
    { effectiveGasPrice: '0x3b9aca00', blockTimestamp: 1_795_352_913 },
    {
      effectiveGasPrice: null,
      somethingNew: { deep: [1.5e3, -0, true, null, { text: 'none of ours', hash: '0x1' }] },
    },
    { operatorFeeScalar: '0x5', operatorFeeConstant: '0x1' },
  ),
});

export const withdrawal: fc.Arbitrary<RawWithdrawal> = fc.record({
  index: fc.bigInt(2n ** 16n, 2n ** 64n - 1n).map((value) => `0x${value.toString(16)}`),
  validatorIndex: fc.bigInt(2n ** 16n, 2n ** 64n - 1n).map((value) => `0x${value.toString(16)}`),
  address,
  amount: quantity(2n ** 50n),
});
