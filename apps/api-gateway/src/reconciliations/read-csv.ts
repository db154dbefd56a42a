import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { readHeader, ROW_BYTES_MAX, wrongLedger, type Column, type RawRow } from './ledger-columns.ts';

interface Parsed {
  readonly record: readonly string[];
  /** Lines that were read, this row's included. */
  readonly info: { readonly lines: number };
}

/**
 * The rows of a CSV ledger, at the pace of the reader.
 * @throws ProblemError 400 for what makes the rest unreadable: the header, a quote that never ends, a row that is too long
 */
export async function* readCsv(bytes: Readable): AsyncGenerator<RawRow, void> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_BYTES_MAX,
  });
  bytes.on('error', (error) => parser.destroy(error));
  bytes.pipe(parser);
  let columns: readonly (Column | undefined)[] | undefined;
  let lastLine = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const line = info.lines - countBreaks(record);
      lastLine = info.lines;
      if (columns === undefined) columns = readHeader(record, line);
      else yield toRow(columns, record, line);
    }
  } catch (error) {
    if (error instanceof CsvError) throw wrongLedger(`line ${lastLine + 1}`, describe(error));
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
  for (const [place, column] of columns.entries()) if (column !== undefined) cells[column] = record[place];
  const fault =
    record.length === columns.length
      ? undefined
      : `row: expected ${columns.length} cells, got ${record.length}`;
  return { line, cells, fault };
}

/** Line breaks within quoted cells. */
function countBreaks(record: readonly string[]): number {
  let breaks = 0;
  for (const cell of record)
    if (cell.includes('\n') || cell.includes('\r')) breaks += cell.split(/\r\n|\n|\r/).length - 1;
  return breaks;
}
