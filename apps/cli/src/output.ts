// SPDX-License-Identifier: Apache-2.0
/** Results go to stdout, everything said beside them to stderr: a pipe gets the results alone. */
export interface Output {
  readonly isJson: boolean;
  readonly hasColors: boolean;
  /** A result: JSON on one line, or the text. */
  print(value: unknown, text: string): void;
  /** Rows under their column's names; JSON: one row a line. */
  table(rows: readonly Readonly<Record<string, unknown>>[], columns?: readonly string[]): void;
  note(text: string): void;
  /** Of long work; redrawn on a terminal, silent elsewhere. */
  progress(done: number, total: number, what: string): void;
}

const CODES = { green: 32, red: 31, yellow: 33, grey: 90 } as const;

export interface OutputOptions {
  readonly isJson: boolean;
  readonly hasColors: boolean;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
}

export function createOutput({ isJson, hasColors, stdout, stderr }: OutputOptions): Output {
  return {
    isJson,
    hasColors,
    print: (value, text) => void stdout.write(`${isJson ? JSON.stringify(value) : printable(text)}\n`),
    table(rows, columns = Object.keys(rows[0] ?? {})) {
      if (isJson) for (const row of rows) stdout.write(`${JSON.stringify(row)}\n`);
      else stdout.write(`${layOut(rows, columns)}\n`);
    },
    note: (text) => void stderr.write(`${printable(text)}\n`),
    progress(done, total, what) {
      if (stderr.isTTY !== true) return;
      const filled = total === 0 ? 20 : Math.round((done / total) * 20);
      const bar = '█'.repeat(filled).padEnd(20, '░');
      stderr.write(`\r${bar} ${done}/${total} ${what}${done === total ? '\n' : ''}`);
    },
  };
}

/** A color where the terminal has them. */
export function paint(output: Pick<Output, 'hasColors'>, color: keyof typeof CODES, text: string): string {
  return output.hasColors ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text;
}

/** Labels and memos are a stranger's: what would move the cursor or set a color is shown, not sent. */
function show(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '·');
}

/** Our own colors pass. */
function printable(text: string): string {
  return text.replace(/\u001b(?!\[\d{1,2}m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g, '·');
}

function layOut(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): string {
  if (rows.length === 0) return 'nothing';
  const cells = [columns, ...rows.map((row) => columns.map((column) => show(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
