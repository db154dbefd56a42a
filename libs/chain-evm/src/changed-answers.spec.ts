// SPDX-License-Identifier: Apache-2.0
import type { Block } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { assemble, type Case, type Made, type Shape } from './spec-block.ts';
import { account, makeItem, networkNamed, readCase, transferLog } from './spec-read.ts';
import { readTraits } from './networks.ts';
import recorded from './vectors/recorded-parts.json' with { type: 'json' };

// Generated blocks of stacks with types of their own, and a node that changes what it answers.

const [payer, payee, other, sequencer, nobody] = ['a1', 'b2', 'd4', '5e', '00'].map(account) as [
  string,
  string,
  string,
  string,
  string,
];
const token = account('c3');
const log = (from: string, to: string, amount: bigint) => transferLog(token, [from, to], amount);

const plain = makeItem({ from: payer, to: payee }, { logs: [log(payer, other, 7n)] });
/** Pays 60,000 gas at 1,000 of 100,000, all of it to the sequencer. */
const inToken = makeItem(
  {
    type: '0x7b',
    chainId: '0xa4ec',
    from: payer,
    to: payee,
    gas: '0x186a0',
    maxFeePerGas: '0x7d0',
    maxPriorityFeePerGas: '0x64',
    accessList: [],
    feeCurrency: token,
  },
  {
    gas: 60_000,
    logs: [
      log(payer, nobody, 100_000_000n),
      log(payer, other, 7n),
      log(nobody, payer, 40_000_000n),
      log(nobody, sequencer, 60_000_000n),
    ],
    extra: { effectiveGasPrice: '0x3e8', baseFee: '0x384' },
  },
);
const { hash: _message, ...message } = recorded.scroll.transaction;
const { hash: _proof, ...proof } = recorded.berachain.transaction;

const cases: readonly [string, readonly Made[], Shape?][] = [
  ['celo', [inToken, plain]],
  ['scroll', [makeItem(message, { gas: 100_000 }), plain]],
  [
    'berachain',
    [makeItem(proof, { gas: 0 }), plain],
    { header: { parentProposerPubkey: `0x${'b1'.repeat(48)}` } },
  ],
  ['hyperevm', [plain, makeItem({ from: payee, to: payer, nonce: '0x9' })]],
  [
    'arc',
    [
      makeItem(
        { from: payer, to: payee },
        { logs: [transferLog(`0x${'f'.repeat(39)}e`, [payer, other], 9n)] },
      ),
    ],
  ],
];

/** All but what no root covers: fees in the native coin, which a price from the node enters, and signatures. */
const proven = (name: string, { transactions, ...block }: Block) => ({
  ...block,
  transactions: transactions
    .filter(({ verification }) => verification === undefined)
    .map(({ fee, signature: _signature, ...transaction }) => ({
      ...transaction,
      ...(fee?.assetGid !== networkNamed(name).native!.gid && { fee }),
    })),
});

describe.each(cases)('a block of %s', (name, items, shape = {}) => {
  const whole = assemble(items, 40_000_000, { stack: readTraits(networkNamed(name)).stack, ...shape });

  it('is never another one, whichever digit a node changes', async () => {
    const made = await whole;
    const truth = proven(name, await readCase(name, made));
    expect(truth.transactions).toHaveLength(items.length);
    const outcomes = { same: 0, refused: 0 };
    const take = async (changed: Case): Promise<void> => {
      const block = await readCase(name, changed).catch(() => undefined);
      if (block === undefined || block.verification === 'unproved') {
        outcomes.refused += 1;
        return;
      }
      outcomes.same += 1;
      expect(proven(name, block)).toEqual(truth);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('body' as const, 'receipts' as const),
        fc.nat(999_999),
        fc.constantFrom(...'0123456789abcdef'),
        async (side, millionths, digit) => {
          const text = made[side];
          const places = [...text.matchAll(/[0-9a-f](?=[0-9a-f]*")/g)].map(({ index }) => index);
          const at = places[Math.floor((millionths / 1_000_000) * places.length)]!;
          await take({ ...made, [side]: `${text.slice(0, at)}${digit}${text.slice(at + 1)}` });
        },
      ),
      { numRuns: 250, seed: 11 },
    );
    expect(outcomes.refused).toBeGreaterThan(100);
  });
});
