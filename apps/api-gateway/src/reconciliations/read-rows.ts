// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { invalidRequest, type ProblemError } from '@chainwatch/common/problem';

/** Columns of a ledger, and members of its lines; others are ignored. */
const COLUMNS = [
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
const ROW_BYTES_MAX = 65_536;
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
function readHeader(header: readonly string[], line: number): readonly (Column | undefined)[] {
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

interface Parsed {
  readonly record: readonly string[];
  /** Lines that were read, this row's included. */
  readonly info: { readonly lines: number };
}

/** With the line on which it begins. */
interface Row extends Parsed {
  readonly line: number;
}

/**
 * The rows of a CSV ledger, at the pace of the reader.
 * @throws ProblemError 400 for what makes the rest unreadable: the header, a quote that never ends, a row that is too long
 */
export async function* readCsv(bytes: Readable): AsyncGenerator<RawRow, void> {
  const lines = new LineCounter();
  const parser = parse({
    bom: true,
    info: true,
    // Not what the first line ends with: some programs write a header of their own above the rows of others.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_BYTES_MAX,
    // As it is parsed, before an error behind it: what is parsed and not read is lost with the error.
    // The types of csv-parse do not know what `info` makes of a record.
    on_record: (parsed) => Object.assign(parsed, { line: lines.next(parsed as unknown as Parsed) }),
  });
  bytes.on('error', (error) => parser.destroy(error));
  bytes.pipe(parser);
  let columns: readonly (Column | undefined)[] | undefined;
  try {
    for await (const { record, line } of parser as AsyncIterable<Row>) {
      if (columns === undefined) columns = readHeader(record, line);
      else yield toCsvRow(columns, record, line);
    }
  } catch (error) {
    if (error instanceof CsvError) throw wrongLedger(`line ${lines.last + 1}`, describe(error));
    throw error;
  } finally {
    bytes.unpipe(parser);
    parser.destroy();
  }
  if (columns === undefined)
    throw wrongLedger('line 1', 'expected a header with the names of the columns, got nothing');
}

function describe({ code }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'expected the end of a quoted cell, got the end of the file';
  if (code === 'CSV_MAX_RECORD_SIZE')
    return `expected a row of at most ${ROW_BYTES_MAX} bytes, got more: a line is too long, or a quoted cell does not end`;
  return 'expected CSV (RFC 4180)';
}

function toCsvRow(columns: readonly (Column | undefined)[], record: readonly string[], line: number): RawRow {
  const cells: RawRow['cells'] = {};
  for (const [place, cell] of record.entries()) {
    const column = columns[place];
    if (column !== undefined) cells[column] = cell;
  }
  const fault =
    record.length === columns.length
      ? undefined
      : `row: expected ${columns.length} cells, got ${record.length}`;
  return { line, cells, fault };
}

/** The lines of rows in the file. csv-parse counts CRLF within a quoted cell as two. */
class LineCounter {
  /** On which the last row ended. */
  last = 0;
  #pairs = 0;

  /** On which the next row begins. */
  next({ record, info }: Parsed): number {
    this.#pairs += countAll(record, /\r\n/g);
    this.last = info.lines - this.#pairs;
    return this.last - countAll(record, /\r\n|\r|\n/g);
  }
}

function countAll(record: readonly string[], pattern: RegExp): number {
  let count = 0;
  for (const cell of record) count += cell.match(pattern)?.length ?? 0;
  return count;
}

/**
 * The rows of a ledger of JSON objects, one a line, at the pace of the reader. Lines that are no object are told as rows with
 * a fault. @throws ProblemError 400 for a line that is too long
 */
export async function* readNdjson(bytes: Readable): AsyncGenerator<RawRow, void> {
  let line = 0;
  for await (const text of readLines(bytes)) {
    line += 1;
    if (text.trim() !== '') yield toNdjsonRow(text, line);
  }
}

const LINE_FEED = 10;

async function* readLines(bytes: Readable): AsyncGenerator<string, void> {
  let rest: Buffer[] = [];
  let length = 0;
  let line = 1;
  const measure = (more: number): void => {
    length += more;
    if (length > ROW_BYTES_MAX)
      throw wrongLedger(`line ${line}`, `expected at most ${ROW_BYTES_MAX} bytes, got more`);
  };
  const take = (): string => {
    const text = Buffer.concat(rest).toString('utf8');
    rest = [];
    length = 0;
    line += 1;
    return line === 2 ? text.replace(/^\uFEFF/, '') : text;
  };
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      measure(end - start);
      rest.push(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    measure(chunk.length - start);
    rest.push(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

function toNdjsonRow(text: string, line: number): RawRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, cells: {}, fault: 'row: expected JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line, cells: {}, fault: 'row: expected a JSON object' };
  const cells: RawRow['cells'] = {};
  let fault: string | undefined;
  for (const column of COLUMNS) {
    const cell = (value as Record<string, unknown>)[column];
    if (typeof cell === 'string') cells[column] = cell;
    // A number of JSON may have lost digits before it came here.
    else if (cell !== undefined && cell !== null)
      fault ??= `${column}: expected a string, got a ${typeof cell}`;
  }
  return { line, cells, fault };
}
