// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'csv-stringify/sync';
import { markText } from '../lists/csv-text.ts';
import type { StatementLine } from './statement-lines.ts';
import { html, type Html } from '../channels/html.ts';
import type { StatementFormatName } from '../records/statement.ts';

/** A form of the document, written line by line. */
interface StatementFormat {
  readonly mediaType: string;
  readonly head: string;
  write(line: StatementLine): string;
  readonly tail: string;
  /** Whether the document ends with a line that is its signature. */
  readonly isSelfSigned: boolean;
}

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

type LineOf<T extends StatementLine['type']> = Extract<StatementLine, { type: T }>;

/** The columns of each kind of table. A gap is a row of the table that is open, or of one of its own. */
const TABLES = {
  chains: ['Chain', 'Balances before', 'First block', 'Last block', 'Blocks', 'Verification', 'Read again'],
  gaps: ['Not known'],
  entries: [
    'Block',
    'Time',
    'Asset',
    'What',
    'Amount',
    'From',
    'To',
    'Transaction',
    'Event',
    'Verification',
    'Status',
  ],
  balances: ['Asset', 'Opening', 'Closing', 'Explained', 'Unexplained', 'Adjustments', 'Movements'],
} as const;
type TableName = keyof typeof TABLES;

const STYLE = `body{font:14px/1.4 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;margin:1rem 0}
td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
.gap td{background:#fff3cd}.unexplained{font-weight:bold}@media print{body{margin:0}}`;

/** A page without scripts and without anything of elsewhere. All values are escaped. */
function htmlFormat(): StatementFormat {
  let open: TableName | undefined;
  const close = (): string => {
    if (open === undefined) return '';
    open = undefined;
    return '</table>\n';
  };
  const enter = (name: TableName): string => {
    if (open === name) return '';
    const before = close();
    open = name;
    return `${before}${html`<table><tr>${TABLES[name].map((title) => html`<th>${title}</th>`)}</tr>`.text}\n`;
  };
  const row = (name: TableName, cells: readonly Cell[]): string =>
    `${enter(name)}${html`<tr>${cells.map(toTableCell)}</tr>`.text}\n`;
  const write = (line: StatementLine): string => {
    switch (line.type) {
      case 'statement':
        return `${writeHead(line).text}\n`;
      case 'chain':
        return row('chains', chainCells(line));
      case 'address':
        return `${close()}${html`<h2>${line.address}${line.label === null ? '' : ` (${line.label})`}</h2>`.text}\n`;
      case 'gap': {
        const before = open === undefined ? enter('gaps') : '';
        return `${before}${html`<tr class="gap"><td colspan="${TABLES[open ?? 'gaps'].length}">${describeGap(line)}</td></tr>`.text}\n`;
      }
      case 'movement':
      case 'adjustment':
        return row('entries', entryCells(line));
      case 'balance':
        return row('balances', balanceCells(line));
      case 'end':
        return `${close()}${html`<p>${line.addresses} addresses, ${line.balances} balances, ${line.movements} movements, ${line.adjustments} adjustments, ${line.gaps} gaps.</p>`.text}\n`;
    }
  };
  return {
    ...{ mediaType: 'text/html', tail: '</body></html>\n', isSelfSigned: false, write },
    head: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Statement</title><style>${STYLE}</style></head><body>\n`,
  };
}

type Cell = Html | string | number | null;

function toTableCell(value: Cell): Html {
  return html`<td>${value ?? ''}</td>`;
}

function writeHead(line: LineOf<'statement'>): Html {
  return html`<h1>Statement ${line.id}</h1>
<p>From ${line.from} (inclusive) to ${line.to} (exclusive). Generated at ${line.generated_at} for project ${line.project_id}. ${line.address_count} addresses on ${line.chain_gids.join(', ')}.</p>
<ul>${line.notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

function chainCells(line: LineOf<'chain'>): Cell[] {
  const mark = (block: LineOf<'chain'>['first_block']): Cell =>
    block && `${block.number} · ${block.time ?? 'time unknown'} · ${block.hash}`;
  const verification = Object.entries(line.verification).map(([name, count]) => `${count} ${name}`);
  return [
    ...[line.chain_gid, mark(line.opening_block), mark(line.first_block), mark(line.last_block)],
    ...[line.block_count, verification.join(', '), line.balances_checked_at],
  ];
}

function entryCells(line: LineOf<'movement'> | LineOf<'adjustment'>): Cell[] {
  const amount = line.amount ?? `${line.amount_raw} base units`;
  if (line.type === 'adjustment')
    return [
      ...[`${line.since_block + 1} to ${line.until_block}`, null, line.asset_gid, 'adjustment', amount],
      ...[null, null, null, null, null, 'unexplained'],
    ];
  return [
    ...[line.block_number, line.block_time, line.asset_gid, line.reason, amount, line.from, line.to],
    ...[line.transaction_hash, line.event_id, line.verification],
    line.is_counted ? line.status : `${line.status ?? ''} (not counted)`,
  ];
}

function balanceCells(line: LineOf<'balance'>): Cell[] {
  const reading = (of: LineOf<'balance'>['opening']): Cell =>
    of === null ? 'unknown' : `${of.amount ?? `${of.amount_raw} base units`} at block ${of.block_number}`;
  const isExplained = line.unexplained_raw === '0';
  return [
    line.symbol === null ? line.asset_gid : `${line.symbol} (${line.asset_gid})`,
    ...[reading(line.opening), reading(line.closing), `${line.explained_raw} base units`],
    isExplained ? '0' : html`<span class="unexplained">${describeUnexplained(line)}</span>`,
    ...[`${line.adjustments_raw} base units`, line.movement_count],
  ];
}

function describeUnexplained({ unexplained, unexplained_raw: raw }: LineOf<'balance'>): string {
  return unexplained ?? (raw === null ? 'unknown' : `${raw} base units`);
}

function describeGap(line: LineOf<'gap'>): string {
  const { from_block: from, to_block: to } = line;
  const blocks = from === null && to === null ? undefined : `blocks ${from ?? 'up'} to ${to ?? 'the end'}`;
  return [line.kind, line.chain_gid, line.address, line.asset_gid, blocks, line.reason]
    .filter((part) => part !== null && part !== undefined)
    .join(' · ');
}
