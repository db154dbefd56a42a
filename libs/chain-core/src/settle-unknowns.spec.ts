// SPDX-License-Identifier: Apache-2.0
import type { Block } from './block.ts';
import { UnknownContentError } from './errors.ts';
import { settleUnknowns } from './settle-unknowns.ts';

const block: Block = {
  number: 7,
  hash: 'aa',
  parentHash: 'bb',
  timestamp: 1,
  transactions: [],
  balanceChanges: [],
  touchedAssets: [],
};
const part = (kind: string, transactionHash: string) => ({
  kind,
  transactionHash,
  expected: 'what is known',
  got: 'x'.repeat(1_000),
});

it('leaves a block alone in which nothing is unknown', () => {
  expect(settleUnknowns(block, [])).toBe(block);
});

it('refuses one with something unknown, naming each kind once, by the first that has it', () => {
  const refused = (): Block =>
    settleUnknowns(block, [part('a:1', 't1'), part('b:2', 't2'), part('a:1', 't3')]);
  expect(refused).toThrow(UnknownContentError);
  expect(refused).toThrow(
    expect.objectContaining({
      code: 'unknown_content',
      unknowns: [
        { ...part('a:1', 't1'), got: 'x'.repeat(200) },
        { ...part('b:2', 't2'), got: 'x'.repeat(200) },
      ],
    }),
  );
});

it('takes it when told to', () => {
  expect(settleUnknowns(block, [part('a:1', 't1')], { takeUnknown: true })).toMatchObject({
    ...block,
    unknowns: [{ kind: 'a:1' }],
  });
});

it('names as many kinds as a block may have, not as many as a node makes up', () => {
  const found = Array.from({ length: 1_000 }, (_, index) =>
    part(`made-up:${index}\n${'y'.repeat(500)}`, 't'),
  );
  const { unknowns = [] } = settleUnknowns(block, found, { takeUnknown: true });
  expect([unknowns.length, Math.max(...unknowns.map(({ kind }) => kind.length))]).toEqual([8, 80]);
  expect(unknowns[0]!.kind).toMatch(/^made-up:0y+$/);
});
