// SPDX-License-Identifier: Apache-2.0
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { CliError, EXIT } from './cli-error.ts';

/** A row of a file of addresses. */
export interface AddressEntry {
  readonly value: string;
  readonly label?: string;
  readonly groups?: string[];
  readonly metadata?: Record<string, unknown>;
  /** On which it counts, where several chains write an address in their own way. */
  readonly chain_gids?: string[];
}

export const COLUMNS = ['address', 'label', 'groups', 'metadata'] as const;

/**
 * Reads CSV with a heading: `address` (or `value`), and where they are there `label`, `groups` and `chain_gids` (with `;`
 * between, or JSON) and `metadata` (JSON). Other columns are passed over, so that an export is read as it is, that of the API too.
 *
 * @throws CliError that names the row
 */
export function parseAddressFile(bytes: Uint8Array): AddressEntry[] {
  const rows = readRows(bytes);
  const [first] = rows;
  if (first === undefined) throw wrongFile('expected rows of addresses, got an empty file');
  if (first.address === undefined && first.value === undefined)
    throw wrongFile(`expected a column "address", got ${Object.keys(first).join(', ')}`);
  return rows.map((row, index) => parseRow(row, index + 2));
}

type Row = Partial<Record<string, string>>;

function readRows(bytes: Uint8Array): Row[] {
  try {
    return parse(Buffer.from(bytes), {
      bom: true,
      columns: true,
      skip_empty_lines: true,
      trim: true,
    }) as Row[];
  } catch (error) {
    throw wrongFile(`expected CSV: ${(error as Error).message}`);
  }
}

function parseRow(row: Row, line: number): AddressEntry {
  const value = unguard(row.address ?? row.value ?? '');
  if (value === '') throw wrongFile(`row ${line}: expected an address, got nothing`);
  // The API takes the mark of a label away.
  const label = row.label ?? '';
  const groups = parseList('groups', unguard(row.groups ?? ''), line);
  const chains = parseList('chain_gids', row.chain_gids ?? '', line);
  return {
    value,
    ...(label !== '' && { label }),
    ...(groups.length > 0 && { groups }),
    ...(chains.length > 0 && { chain_gids: chains }),
    ...((row.metadata ?? '') !== '' && { metadata: parseMetadata(row.metadata ?? '', line) }),
  };
}

/** What stands between brackets is JSON, as the API exports it. */
function parseList(column: string, text: string, line: number): string[] {
  if (!text.startsWith('[')) return text.split(';').filter(Boolean);
  try {
    const value = JSON.parse(text) as unknown;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  } catch {
    // Said below.
  }
  throw wrongFile(`row ${line}: expected ${column} as a;b or a JSON list, got ${text.slice(0, 40)}`);
}

/** As `parseAddressFile` reads it. */
export function formatGroups(groups: readonly string[]): string {
  const isPlain = groups.every((group) => !/^\[|;/.test(group));
  return isPlain ? groups.join(';') : JSON.stringify(groups);
}

function parseMetadata(text: string, line: number): Record<string, unknown> {
  try {
    const value = JSON.parse(unguard(text)) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw wrongFile(`row ${line}: expected metadata as a JSON object, got ${text.slice(0, 40)}`);
}

/** One row; a spreadsheet would take text that begins as a formula for one. Marked as the API marks it, which takes it away. */
export function formatCsvRow(cells: readonly unknown[]): string {
  const mark = (text: string): string => (/^'*[=+\-@\t]/.test(text) ? `'${text}` : text);
  return stringify([[...cells]], { cast: { string: mark }, eof: false });
}

function unguard(text: string): string {
  return text.replace(/^'(?='*[=+\-@\t])/, '');
}

function wrongFile(reason: string): CliError {
  return new CliError(reason, EXIT.usage, [{ name: 'file', reason }]);
}
