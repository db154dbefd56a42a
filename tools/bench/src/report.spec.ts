// SPDX-License-Identifier: Apache-2.0
import { formatCsv, parseCsv } from './csv.ts';
import { renderPage } from './report.ts';

const entry = (figure: string, is_met: string, measured = '1 ms', bench = 'latency') => ({
  ...{ date: '2026-01-01', bench, figure, goal: '≤ 2 ms', is_met, measured },
  ...{ detail: 'ten rounds', machine: '2 cores' },
});

describe('renderPage', () => {
  it('has the last entry of each figure, by bench, and says which goals are missed', () => {
    const page = renderPage([
      entry('one', 'no', '3 ms'),
      entry('two', 'no'),
      entry('one', 'yes'),
      entry('three', 'yes', '1 ms', 'deliveries'),
    ]);
    expect(page.split('\n').filter((line) => line.includes('2026-01-01'))).toEqual([
      '| deliveries | three | ≤ 2 ms | 1 ms | yes | 2026-01-01 |',
      '| latency | one | ≤ 2 ms | 1 ms | yes | 2026-01-01 |',
      '| latency | two | ≤ 2 ms | 1 ms | **no** | 2026-01-01 |',
    ]);
    expect(page).toContain('\n- **latency**: Blocks come one by one');
  });

  it.each([
    ['comparisons', entry('before and after', '')],
    ['benches that are gone', entry('before and after', 'yes', '1 ms', 'gone')],
  ])('leaves %s to the history', (_name, one) => {
    expect(renderPage([one])).not.toContain('before and after |');
  });

  it('cuts long cells between parts', () => {
    const parts = [`p99 ${'9'.repeat(60)} ms`, `p50 ${'5'.repeat(60)} ms`];
    expect(renderPage([entry('one', 'yes', parts.join('; '))])).toContain(`| ${parts[0]} | yes |`);
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
