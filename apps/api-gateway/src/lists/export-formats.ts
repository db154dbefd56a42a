// SPDX-License-Identifier: Apache-2.0
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { buildExample, createSchemaBook } from '@chainwatch/platform/http';
import { markText } from './csv-text.ts';

/** Writes the records of an export. */
export interface ExportWriter {
  /** Before the first record. */
  readonly head: string;
  write(records: readonly object[]): string;
}

const CSV = 'text/csv';
const NDJSON = 'application/x-ndjson';

/** @returns undefined for a media type that asks for a page */
export function findWriter(mediaType: string, record: z.ZodType): ExportWriter | undefined {
  if (mediaType === NDJSON) return { head: '', write: toLines };
  return mediaType === CSV ? csvWriter(listMembers(record)) : undefined;
}

/** The bodies that an exported list has in place of its pages, for `alternatives` of its route. */
export function exportTypes(record: z.ZodType): Record<string, z.ZodType> {
  const book = createSchemaBook();
  const described = book.describe(record, 'output');
  const example = buildExample(described, book.components) as object;
  const describe = (mediaType: string, description: string): z.ZodType => {
    const { head, write } = findWriter(mediaType, record)!;
    return z.string().meta({ description, examples: [head + write([example])] });
  };
  return {
    [CSV]: describe(
      CSV,
      "Every row that the filters let through, without pages. The first line names the members; objects and lists are JSON, null is empty. A text that begins with `=`, `+`, `-`, `@` (in full width too) or a tab has a `'` before it, which the import of addresses takes away.",
    ),
    [NDJSON]: describe(
      NDJSON,
      'Every row that the filters let through, without pages: one a line, as in `items` of a page.',
    ),
  };
}

function toLines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

function csvWriter(members: readonly string[]): ExportWriter {
  const write = (lines: readonly (readonly string[])[]): string =>
    stringify([...lines] as string[][], { record_delimiter: 'windows' });
  const cellsOf = (record: object): string[] =>
    members.map((member) => toCell((record as Record<string, unknown>)[member]));
  return { head: write([members]), write: (records) => write(records.map(cellsOf)) };
}

function toCell(value: unknown): string {
  if (typeof value === 'string') return markText(value);
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Of a record, or of all that it may be. */
function listMembers(record: z.ZodType): string[] {
  if (record instanceof z.ZodObject) return Object.keys(record.shape);
  if (record instanceof z.ZodUnion)
    return [...new Set((record.options as z.ZodType[]).flatMap((option) => listMembers(option)))];
  throw new TypeError(`expected an object or a union of them, got ${record.type}`);
}
