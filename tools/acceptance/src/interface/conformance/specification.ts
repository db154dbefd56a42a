// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { codesOf, readTables, type Table } from './read-tables.ts';

const PAGE = join(repoDir, 'docs/rules/interface.md');

export interface Specification {
  readonly text: string;
  readonly tables: readonly Table[];
}

/** @param text default the interface specification, as users are promised it */
export function readSpecification(text = readFileSync(PAGE, 'utf8')): Specification {
  return { text, tables: readTables(text) };
}

export function findTable(
  { tables }: Specification,
  {
    heading,
    column,
    lead = '',
  }: { readonly heading: string; readonly column: string; readonly lead?: string },
): Table {
  const found = tables.filter(
    (table) =>
      table.headings.at(-1)!.split(' (')[0] === heading &&
      table.columns.includes(column) &&
      table.lead.includes(lead),
  );
  if (found.length === 0)
    throw new Error(`expected a table under "${heading}" with a column "${column}", got none`);
  return found[0]!;
}

/** The values of a field of a resource, as its table lists them: `Block`, `status` → `new`, … */
export function enumOf(specification: Specification, resource: string, field: string): string[] {
  const row = findTable(specification, { heading: resource, column: 'Field' }).rows.find(
    ({ cells }) => codesOf(cells['Field']!)[0] === field,
  );
  return codesOf(/enum (.*)/.exec(row?.cells['Notes'] ?? '')?.[1] ?? '');
}

/** The text of a bullet or a sentence: what follows `words` on its line. */
export function sayingOf({ text }: Specification, words: string): string {
  const line = text.split('\n').find((candidate) => candidate.includes(words));
  if (line === undefined) throw new Error(`expected a line with "${words}", got none`);
  return line.slice(line.indexOf(words) + words.length);
}

/** The pattern of an identifier in a path, as the table of identifier formats has it. */
export function patternOf(specification: Specification, name: string): RegExp {
  const row = findTable(specification, { heading: 'Identifier formats', column: 'Format' }).rows.find(
    ({ cells }) => codesOf(cells['Name']!)[0] === name,
  );
  const pattern = codesOf(row?.cells['Format'] ?? '').find((code) => code.startsWith('^'));
  if (pattern === undefined) throw new Error(`expected a pattern of ${name}, got ${row?.cells['Format']}`);
  return new RegExp(pattern);
}
