// SPDX-License-Identifier: Apache-2.0
import { invalidRequest, type ProblemError } from '@chainwatch/common/problem';

/** Columns of a ledger, and members of its lines; others are ignored. */
export const COLUMNS = [
  'reference',
  'hash',
  'event_id',
  'address',
  'asset_gid',
  'amount',
  'amount_raw',
  'time',
  'chain_gid',
  'direction',
] as const;
export type Column = (typeof COLUMNS)[number];

/** A row as it was sent. */
export interface RawRow {
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  readonly cells: Partial<Record<Column, string>>;
  /** Why it cannot be read: `amount: expected a string, got a number`. */
  readonly fault?: string;
}

/** A ledger holds at most so many rows. */
export const ROWS_MAX = 1_000_000;
/** Longest row in bytes. */
export const ROW_BYTES_MAX = 65_536;
/** Rows that are checked and stored together. */
export const BATCH = 1_000;
/** Fewer where their cells are longer. */
export const BATCH_CHARACTERS = 1_048_576;

/** A fault of the whole ledger. */
export function wrongLedger(name: string, reason: string): ProblemError {
  return invalidRequest([{ name, reason }]);
}

/**
 * The columns of a CSV header by their places; undefined: not one of ours. Letter case and spaces around do not count.
 * @throws ProblemError 400 that names the column
 */
export function readHeader(header: readonly string[], line: number): readonly (Column | undefined)[] {
  const names = header.map((cell) => cell.trim().toLowerCase());
  const wrong = (reason: string): ProblemError => wrongLedger(`line ${line}`, reason);
  if (header.join('').includes('\0')) throw wrong('expected CSV in UTF-8, got NUL characters');
  if (names.length === 1 && /[;\t|]/.test(names[0]!))
    throw wrong(
      `expected commas between the columns, got "${/[;\t|]/.exec(names[0]!)![0].replace('\t', 'tab')}"`,
    );
  const repeated = COLUMNS.find((column) => names.filter((name) => name === column).length > 1);
  if (repeated !== undefined) throw wrong(`expected the column "${repeated}" once`);
  for (const choices of REQUIRED)
    if (!choices.some((column) => names.includes(column)))
      throw wrong(
        `expected a column ${choices.map((column) => `"${column}"`).join(' or ')}, got ${showNames(header)}`,
      );
  return names.map((name) => COLUMNS.find((column) => column === name));
}

/** Of each list a ledger has at least one column. */
const REQUIRED: readonly (readonly Column[])[] = [
  ['hash', 'event_id'],
  ['address'],
  ['asset_gid'],
  ['amount', 'amount_raw'],
];

function showNames(header: readonly string[]): string {
  const text = header.join(', ').replace(/[\u0000-\u001f\u007f-\u009f]/g, '·');
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
