// SPDX-License-Identifier: Apache-2.0
import type { Readable } from 'node:stream';
import { COLUMNS, ROW_BYTES_MAX, wrongLedger, type RawRow } from './ledger-columns.ts';

/**
 * The rows of a ledger of JSON objects, one a line, at the pace of the reader. Lines that are no object are told as rows with
 * a fault. @throws ProblemError 400 for a line that is too long
 */
export async function* readNdjson(bytes: Readable): AsyncGenerator<RawRow, void> {
  let line = 0;
  for await (const text of readLines(bytes)) {
    line += 1;
    if (text.trim() !== '') yield toRow(text, line);
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

function toRow(text: string, line: number): RawRow {
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
