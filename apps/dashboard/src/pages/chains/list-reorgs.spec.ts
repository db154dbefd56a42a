// SPDX-License-Identifier: Apache-2.0
import type { Block } from '../../api/chain-queries.ts';
import { listReorgs } from './list-reorgs.ts';

function block(name: string, parent: string): Block {
  const number = Number(/\d+/.exec(name)![0]);
  return {
    ...{ chain_gid: 'eip155:31337', number, hash: name, parent_hash: parent },
    ...{ status: 'reorged', timestamp: null, verification: 'proved' },
  };
}
const show = (blocks: readonly Block[]) =>
  listReorgs(blocks).map(({ from, to, branches }) => [
    from,
    to,
    ...branches.map((branch) => branch.map(({ hash }) => hash).join(' ')),
  ]);

it('finds none where nothing was undone', () => {
  expect(show([])).toEqual([]);
});

it('links blocks by their parents, whatever their order', () => {
  expect(show([block('a12', 'a11'), block('a10', 'm9'), block('a11', 'a10')])).toEqual([
    [10, 12, 'a10 a11 a12'],
  ]);
});

it('shows two branches of the same height beside each other, and distant ones apart, the highest first', () => {
  const blocks = [block('a10', 'm9'), block('b10', 'm9'), block('b11', 'b10'), block('c40', 'm39')];
  expect(show(blocks)).toEqual([
    [40, 40, 'c40'],
    [10, 11, 'a10', 'b10 b11'],
  ]);
});

it('begins a branch for the second child of a block, beside the first', () => {
  const blocks = [block('a10', 'm9'), block('a11', 'a10'), block('b11', 'a10')];
  expect(show(blocks)).toEqual([[10, 11, 'a10 a11', 'b11']]);
});

it('follows parents over slots without a block', () => {
  expect(show([block('a10', 'm9'), block('a14', 'a10')])).toEqual([[10, 14, 'a10 a14']]);
});

it('has every block once, those without a hash too', () => {
  const blocks = [
    { ...block('a10', 'm9'), hash: null },
    { ...block('b10', 'm9'), hash: null },
  ];
  expect(listReorgs(blocks).flatMap(({ branches }) => branches.flat())).toHaveLength(2);
});
