// SPDX-License-Identifier: Apache-2.0
import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import type { Family } from './families.ts';

export interface ImportEntry {
  /** Of the file, from 1. */
  readonly line: number;
  readonly value: string;
  /** Undefined: the line names none. */
  readonly family?: Family;
  readonly label?: string;
  readonly groups?: string[];
  readonly metadata?: Record<string, unknown>;
  /** On which it counts, where several chains write an address in their own way. */
  readonly chain_gids?: string[];
}

/** Why a line is not imported. */
export interface Fault {
  readonly line: number;
  readonly reason: string;
}

export interface ParsedFile {
  /** The first line, where it names the columns. */
  readonly head: readonly string[] | undefined;
  /** As they stand in the file, by their line. */
  readonly cells: ReadonlyMap<number, readonly string[]>;
  readonly entries: readonly ImportEntry[];
  readonly faults: readonly Fault[];
}

const LABEL_MAX = 255;
const NEW_LINE = 10;

/**
 * Reads lines `address,label,family`; a first line that names its columns may give another order, `groups` and `metadata`,
 * as exports have them, and `chain_gids`.
 * @param families that there are
 */
export function parseCsv(text: string, families: readonly Family[]): ParsedFile {
  const rows = splitRows(text.replace(/^\uFEFF/, ''));
  if (rows === undefined)
    return {
      ...{ head: undefined, cells: new Map(), entries: [] },
      faults: [{ line: text.split('\n').length, reason: 'a quote before this line is not closed' }],
    };
  const head = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const hasHead = head.includes('address');
  const at = (name: string, place: number): number => (hasHead ? head.indexOf(name) : place);
  const [addressAt, labelAt] = [at('address', 0), at('label', 1)];
  const familyAt = Math.max(at('family', 2), head.indexOf('chain_family'));
  const [groupsAt, metadataAt, chainsAt] = ['groups', 'metadata', 'chain_gids'].map((name) =>
    at(name, -1),
  ) as [number, number, number];
  const entries: ImportEntry[] = [];
  const faults: Fault[] = [];
  const lines = hasHead ? rows.slice(1) : rows;
  for (const { line, cells } of lines) {
    const cell = (place: number): string => cells[place]?.trim() ?? '';
    const value = cell(addressAt);
    const label = unguard(cell(labelAt));
    const named = cell(familyAt).toLowerCase();
    const own = parseOwn(unguard(cell(groupsAt)), cell(metadataAt), cell(chainsAt));
    const family = families.find((name) => name === named);
    if (value === '') faults.push({ line, reason: 'the address is missing' });
    else if (named !== '' && family === undefined) faults.push({ line, reason: `unknown family ${named}` });
    else if (label.length > LABEL_MAX)
      faults.push({ line, reason: `the label is longer than ${LABEL_MAX} characters` });
    else if (own === undefined)
      faults.push({ line, reason: 'groups or chains are not a list, or metadata is not a JSON object' });
    else entries.push({ line, value, ...(family && { family }), ...(label !== '' && { label }), ...own });
  }
  const cells = new Map(lines.map((row) => [row.line, row.cells]));
  return { head: hasHead ? rows[0]?.cells : undefined, cells, entries, faults };
}

/** Groups and chains are JSON lists, or have `;` between them; metadata is a JSON object. Undefined: one of them is not. */
function parseOwn(
  groups: string,
  metadata: string,
  chains: string,
): Pick<ImportEntry, 'groups' | 'metadata' | 'chain_gids'> | undefined {
  try {
    const [ownGroups, ownChains] = [splitList(groups), splitList(chains)];
    const own: unknown = metadata === '' ? {} : JSON.parse(metadata);
    const isObject = typeof own === 'object' && own !== null && !Array.isArray(own);
    if (ownGroups === undefined || ownChains === undefined || !isObject) return undefined;
    return {
      ...(ownGroups.length > 0 && { groups: ownGroups }),
      ...(ownChains.length > 0 && { chain_gids: ownChains }),
      ...(Object.keys(own).length > 0 && { metadata: own as Record<string, unknown> }),
    };
  } catch {
    return undefined;
  }
}

/** Undefined: it is no list of texts. @throws SyntaxError */
function splitList(text: string): string[] | undefined {
  const list: unknown = text.startsWith('[') ? JSON.parse(text) : text.split(';').filter(Boolean);
  return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined;
}

/** Exports put a quote before what a spreadsheet would calculate. */
function unguard(text: string): string {
  return /^'[=+\-@\t]/.test(text) ? text.slice(1) : text;
}

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows of CSV (RFC 4180), separated by commas, semicolons or tabs; empty ones are left out. Undefined: a quote is not closed. */
function splitRows(text: string): Row[] | undefined {
  const delimiter = /^[^\n]*?([,;\t])/.exec(text)?.[1] ?? ',';
  const found = readRecords(text, delimiter);
  if (found === undefined) return undefined;
  const rows: Row[] = [];
  // The parser counts a line's end within quotes twice where it is two characters.
  const bytes = new TextEncoder().encode(text);
  let [line, at] = [1, 0];
  for (const { record: cells, info } of found) {
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells });
    for (; at < info.bytes; at += 1) if (bytes[at] === NEW_LINE) line += 1;
  }
  return rows;
}

interface Parsed {
  readonly record: string[];
  readonly info: { readonly bytes: number };
}

function readRecords(text: string, delimiter: string): Parsed[] | undefined {
  try {
    return parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_quotes: true,
      relax_column_count: true,
      info: true,
    }) as unknown as Parsed[];
  } catch (error) {
    if (error instanceof CsvError && error.code === 'CSV_QUOTE_NOT_CLOSED') return undefined;
    throw error;
  }
}

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
