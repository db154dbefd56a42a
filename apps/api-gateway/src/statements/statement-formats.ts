// SPDX-License-Identifier: Apache-2.0
import { htmlFormat } from './format-html.ts';
import type { StatementFormat } from './statement-format.ts';
import { stringify } from 'csv-stringify/sync';
import { markText } from '../lists/csv-text.ts';
import type { StatementLine } from './statement-lines.ts';

export const STATEMENT_FORMATS = ['csv', 'ndjson', 'html'] as const;
export type StatementFormatName = (typeof STATEMENT_FORMATS)[number];

const ndjsonFormat: StatementFormat = {
  ...{ mediaType: 'application/x-ndjson', head: '', tail: '', isSelfSigned: true },
  write: (line) => `${JSON.stringify(line)}\n`,
};

const FORMATS: Readonly<Record<StatementFormatName, () => StatementFormat>> = {
  csv: () => csvFormat,
  ndjson: () => ndjsonFormat,
  html: htmlFormat,
};

/** One for each document: a page of HTML remembers which table is open. */
export const openFormat = (name: StatementFormatName): StatementFormat => FORMATS[name]();

/** One table for all lines: the first column says what a line is, cells that it has no value for are empty. */
const COLUMNS = [
  ...['type', 'kind', 'address', 'label', 'chain_gid', 'asset_gid', 'symbol', 'reason'],
  ...['amount', 'amount_raw', 'from', 'to', 'block_number', 'block_hash', 'block_time'],
  ...['transaction_hash', 'transfer_index', 'event_id', 'verification', 'status', 'is_counted'],
  ...['opening_raw', 'opening_block', 'closing_raw', 'closing_block', 'explained_raw', 'unexplained_raw'],
  ...['adjustments_raw', 'unexplained', 'from_block', 'to_block', 'details'],
] as const;

type Cells = Readonly<Partial<Record<(typeof COLUMNS)[number], unknown>>>;

const csvFormat: StatementFormat = {
  ...{ mediaType: 'text/csv', tail: '', isSelfSigned: false },
  head: toText(COLUMNS),
  write: (line) => {
    const cells = toCells(line);
    return toText(COLUMNS.map((column) => toCell(cells[column])));
  },
};

function toText(cells: readonly string[]): string {
  return stringify([[...cells]], { record_delimiter: 'windows' });
}

function toCells(line: StatementLine): Cells {
  switch (line.type) {
    case 'balance': {
      const { opening, closing, explained, ...cells } = line;
      return {
        ...cells,
        ...{ opening_raw: opening?.amount_raw, opening_block: opening?.block_number },
        ...{ closing_raw: closing?.amount_raw, closing_block: closing?.block_number },
        details: { decimals: line.decimals, opening, closing, explained, checked_at: line.checked_at },
      };
    }
    case 'adjustment':
      return { ...line, from_block: line.since_block + 1, to_block: line.until_block };
    case 'movement':
    case 'gap':
      return line;
    default: {
      const { type, ...details } = line;
      return { type, ...pick(details), details };
    }
  }
}

/** Members of other lines that have a column. */
function pick(details: object): Cells {
  return Object.fromEntries(
    Object.entries(details).filter(([name]) => (COLUMNS as readonly string[]).includes(name)),
  );
}

/** A number is no formula, also below zero: spreadsheets may add it up. */
const NUMBER = /^-?\d+(\.\d+)?$/;

function toCell(value: unknown): string {
  if (typeof value === 'string') return NUMBER.test(value) ? value : markText(value);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
