import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { CliError } from './cli-error.ts';

/** A row of a file of addresses. */
export interface AddressEntry {
  readonly value: string;
  readonly label?: string;
  readonly groups?: string[];
  readonly metadata?: Record<string, unknown>;
}

export const COLUMNS = ['address', 'label', 'groups', 'metadata'] as const;

/**
 * Reads CSV with a heading: `address` (or `value`), and where they are there `label`, `groups` (with `;` between) and
 * `metadata` (JSON). Other columns are passed over, so that an export is read as it is.
 *
 * @throws CliError that names the row
 */
export function parseAddressFile(bytes: Uint8Array): AddressEntry[] {
  const rows = readRows(bytes);
  const [first] = rows;
  if (first === undefined) throw new CliError('expected rows of addresses, got an empty file');
  if (first.address === undefined && first.value === undefined)
    throw new CliError(`expected a column "address", got ${Object.keys(first).join(', ')}`);
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
    throw new CliError(`expected CSV: ${(error as Error).message}`);
  }
}

function parseRow(row: Row, line: number): AddressEntry {
  const value = unguard(row.address ?? row.value ?? '');
  if (value === '') throw new CliError(`row ${line}: expected an address, got nothing`);
  const label = unguard(row.label ?? '');
  const groups = unguard(row.groups ?? '')
    .split(';')
    .filter(Boolean);
  return {
    value,
    ...(label !== '' && { label }),
    ...(groups.length > 0 && { groups }),
    ...((row.metadata ?? '') !== '' && { metadata: parseMetadata(row.metadata ?? '', line) }),
  };
}

function parseMetadata(text: string, line: number): Record<string, unknown> {
  try {
    const value = JSON.parse(unguard(text)) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below.
  }
  throw new CliError(`row ${line}: expected metadata as a JSON object, got ${text.slice(0, 40)}`);
}

/** One row; a spreadsheet would take text that begins as a formula for one. */
export function formatCsvRow(cells: readonly unknown[]): string {
  return stringify([[...cells]], { escape_formulas: true, eof: false });
}

function unguard(text: string): string {
  return text.replace(/^'(?=[=+\-@\t])/, '');
}
