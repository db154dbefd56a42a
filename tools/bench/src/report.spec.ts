// SPDX-License-Identifier: Apache-2.0
import { formatCsv, parseCsv } from './csv.ts';
import { renderPage } from './report.ts';

const entry = (figure: string, is_met: string, measured = '1 ms') => ({
  ...{ date: '2026-01-01', figure, goal: '≤ 2 ms', is_met, measured },
  ...{ detail: 'ten rounds', machine: '2 cores' },
});

describe('renderPage', () => {
  it('has missed goals first, and the last entry of each figure', () => {
    const page = renderPage([entry('one', 'no', '3 ms'), entry('two', 'no'), entry('one', 'yes')]);
    const [missed, met] = page.split('## Goals that are met');
    expect(missed).toContain('| two | ≤ 2 ms | 1 ms | 2026-01-01 |');
    expect(missed).not.toContain('| one |');
    expect(met).toContain('| one | ≤ 2 ms | 1 ms | 2026-01-01 |');
    expect(page).not.toContain('3 ms');
  });

  it('leaves comparisons to the history', () => {
    expect(renderPage([entry('before and after', '')])).not.toContain('before and after |');
  });

  it('cuts long cells between parts, and has the whole below', () => {
    const parts = [`p99 ${'9'.repeat(60)} ms`, `p50 ${'5'.repeat(60)} ms`];
    const page = renderPage([entry('one', 'yes', parts.join('; '))]);
    expect(page).toContain(`| one | ≤ 2 ms | ${parts[0]} | 2026-01-01 |`);
    expect(page).toContain(`**one.** Measured: ${parts.join('; ')}. Ten rounds. 2 cores.`);
  });
});

describe('CSV', () => {
  it.each([
    [
      'plain cells',
      [
        ['a', 'b'],
        ['c', ''],
      ],
    ],
    [
      'commas, quotes and line breaks',
      [
        ['a, b', 'say "c"'],
        ['d\ne', '"'],
      ],
    ],
    ['an empty first cell', [['', 'a']]],
  ])('reads what it wrote: %s', (_name, rows) => {
    expect(parseCsv(formatCsv(rows))).toEqual(rows);
  });

  it('has no rows in an empty file', () => {
    expect(parseCsv('')).toEqual([]);
  });
});
