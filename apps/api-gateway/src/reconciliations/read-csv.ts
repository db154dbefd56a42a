// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { readHeader, ROW_BYTES_MAX, wrongLedger, type Column, type RawRow } from './ledger-columns.ts';

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
      else yield toRow(columns, record, line);
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

function toRow(columns: readonly (Column | undefined)[], record: readonly string[], line: number): RawRow {
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
