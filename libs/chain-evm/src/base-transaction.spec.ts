// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import { decodeBaseTransaction } from './base-transaction.ts';
import type { TransactionParts } from './decode-transaction.ts';
import { evmNetworks } from './networks.ts';

// Generated: Base has neither transactions of this type nor logs of its coin (EIP-7708) yet.

const [SENDER, ALICE, BOB] = ['a1', 'c3', 'd4'].map((byte) => `0x${byte.repeat(20)}`) as [
  string,
  string,
  string,
];
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');
const wordOf = (hex: string): string => `0x${hex.slice(2).padStart(64, '0')}`;
const COIN = `0x${'f'.repeat(39)}e`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
type Move = readonly [from: string, to: string, amount: number];

function decode(phases: readonly (readonly Move[])[], moves: readonly Move[], isTraced: boolean) {
  const calls = phases.map((phase) => phase.map(([, to, value]) => [bytesOf(to), value, '']));
  const list = [8453, bytesOf(SENDER), 0, 0, 0, 0, 1, 2, 100_000, [], calls, ''];
  const encoding = Buffer.concat([
    Buffer.from([0x79]),
    RLP.encode([...list, new Uint8Array(0), new Uint8Array(65), new Uint8Array(65)] as never),
  ]);
  const logs = moves.map(([from, to, amount]) => ({
    ...{
      address: COIN,
      topics: [TRANSFER, wordOf(from), wordOf(to)],
      data: wordOf(`0x${amount.toString(16)}`),
    },
  }));
  const transfers = moves.map(([from, to, amount]) => ({ from, to, amountRaw: BigInt(amount) }));
  const receipt = { status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x1', logs };
  return decodeBaseTransaction(
    {
      ...{
        network: evmNetworks.find(({ gid }) => gid === 'eip155:8453')!,
        number: 1,
        index: 0,
        logIndex: 0,
      },
      tx: { hash: '0x1', type: '0x79', from: SENDER, gas: '0x186a0', value: '0x0' },
      receipt: { ...receipt, phaseStatuses: phases.map(() => '0x1') },
      ...(isTraced && { trace: { isFailed: false, transfers } }),
    } as unknown as TransactionParts,
    encoding,
  ).transfers.map(({ type, from, to, amountRaw }) => [type, from, to, Number(amountRaw)]);
}

describe.each([true, false])('a payment that a log of the coin shows as well (traced: %s)', (isTraced) => {
  it.each([
    ['of one phase', [[[SENDER, ALICE, 5]]]],
    [
      'of two phases',
      [
        [[SENDER, ALICE, 5]],
        [
          [SENDER, ALICE, 5],
          [SENDER, BOB, 6],
        ],
      ],
    ],
  ] as const)('%s counts once', (_, phases) => {
    const calls: Move[] = phases.flat();
    const inner: Move = [ALICE, BOB, 2];
    expect(decode(phases, [...calls, inner], isTraced)).toEqual([
      ...calls.map((call) => ['native', ...call]),
      ['internal', ...inner],
    ]);
  });
});
