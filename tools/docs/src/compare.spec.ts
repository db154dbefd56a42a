// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

const page = readFileSync(join(repoDir, 'docs/compare.md'), 'utf8');

interface Cell {
  readonly row: string;
  readonly column: string;
  readonly text: string;
}

/** Cells below a head, but for the names of rows. */
function readCells(text: string): Cell[] {
  return text.split(/\n{2,}/).flatMap((block) => {
    const [head, rule, ...rows] = block.trim().split('\n');
    if (head === undefined || !/^\|(?:-+\|)+$/.test(rule ?? '')) return [];
    const columns = cellsOf(head);
    return rows.flatMap((line) => {
      const [row = '', ...cells] = cellsOf(line);
      return cells.map((cell, index) => ({ row, column: columns[index + 1] ?? '', text: cell }));
    });
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

const hasSource = (text: string): boolean => /\]\(https:\/\/[^)\s]+\)/.test(text);
/** What is said of another product. */
const isOfPeer = ({ column }: Cell): boolean =>
  !['chainwatch', 'What it is', 'Choose it rather than chainwatch when'].includes(column);

describe('the comparison', () => {
  const cells = readCells(page);

  it('has no empty cell', () => {
    expect(cells.length).toBeGreaterThan(200);
    expect(cells.filter(({ text, column }) => text === '' || column === '')).toEqual([]);
  });

  it('links each cell of a peer to where it is stated, with the date of the check', () => {
    expect(cells.filter((cell) => isOfPeer(cell) && !hasSource(cell.text))).toEqual([]);
    expect(page).toMatch(/checked on \d{4}-\d{2}-\d{2}\b/);
  });

  it('begins with what chainwatch lacks, and has the nearest peers', () => {
    const [first] = [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(first).toBe('What chainwatch lacks');
    const columns = new Set(cells.map(({ column }) => column));
    for (const peer of ['Outpost', 'Svix', 'Alchemy', 'Moralis', 'Tatum', 'QuickNode', 'Blockbook', 'eRPC'])
      expect(columns).toContain(peer);
  });

  it('would not pass with an empty cell, or with one without a source', () => {
    const planted = readCells('| | chainwatch | Svix |\n|---|---|---|\n| a | yes | |\n| b | yes | no |');
    expect(planted.map(({ text }) => text)).toEqual(['yes', '', 'yes', 'no']);
    expect(planted.filter((cell) => isOfPeer(cell) && !hasSource(cell.text))).toHaveLength(2);
  });
});
