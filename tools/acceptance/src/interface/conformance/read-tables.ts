// SPDX-License-Identifier: Apache-2.0
/** One row of a table of the specification. */
export interface Row {
  /** Of the document, from 1. */
  readonly line: number;
  /** By the column's name, backticks left out of the name and kept in the value. */
  readonly cells: Readonly<Record<string, string>>;
}

export interface Table {
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** The last line of text before it, under the same heading; empty for none. */
  readonly lead: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

/** Every table of a Markdown document, in order. */
export function readTables(markdown: string): Table[] {
  const tables: (Table & { rows: Row[] })[] = [];
  const headings: string[] = [];
  let lead = '';
  let open: (Table & { rows: Row[] }) | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const heading = /^(#+) (.*)$/.exec(line);
    if (heading) {
      headings.length = heading[1]!.length - 1;
      headings.push(heading[2]!);
      lead = '';
    } else if (line.startsWith('|')) {
      const cells = splitCells(line);
      if (open === undefined)
        tables.push(
          (open = {
            headings: headings.filter((text) => text !== undefined),
            lead,
            columns: cells.map((cell) => cell.replaceAll('`', '')),
            rows: [],
          }),
        );
      else if (!/^[|\s:-]+$/.test(line))
        open.rows.push({
          line: index + 1,
          cells: Object.fromEntries(open.columns.map((column, at) => [column, cells[at] ?? ''])),
        });
      continue;
    } else if (line.trim() !== '') lead = line;
    open = undefined;
  }
  return tables;
}

function splitCells(line: string): string[] {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

/** What stands between backticks, in order. */
export function codesOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
}
