// SPDX-License-Identifier: Apache-2.0
import type { Fault, ParsedFile } from './parse-csv.ts';

const COLUMNS = ['address', 'label', 'family'];

/**
 * The rejected lines as a file that can be mended and imported again: the columns as they were, then the line and the reason.
 */
export function writeRejected(
  { head = COLUMNS, cells }: Pick<ParsedFile, 'head' | 'cells'>,
  faults: readonly Fault[],
): string {
  const width = Math.max(head.length, ...faults.map(({ line }) => cells.get(line)?.length ?? 0));
  const pad = (row: readonly string[]): string[] => Array.from({ length: width }, (_, at) => row[at] ?? '');
  const rows = faults.map(({ line, reason }) => [
    ...pad(cells.get(line) ?? []).map(guard),
    String(line),
    reason,
  ]);
  return [[...pad(head), 'line', 'reason'], ...rows].map((row) => `${row.map(quote).join(',')}\r\n`).join('');
}

/** A spreadsheet would calculate it. The import takes the mark away. */
function guard(cell: string): string {
  return /^[=+\-@\t]/.test(cell) ? `'${cell}` : cell;
}

function quote(cell: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
