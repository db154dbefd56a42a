// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { formatCsv, parseCsv } from './csv.ts';

export interface Row {
  readonly name: string;
  readonly goal: string;
  readonly isMet: boolean;
  readonly measured: string;
  readonly detail: string;
}

const COLUMNS = ['date', 'figure', 'goal', 'is_met', 'measured', 'detail', 'machine'] as const;
type Entry = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** Of a cell in the page; what is longer goes below the table. */
const CELL_MAX = 90;

/** Prints every figure as it comes, appends them to docs/benchmarks/history.csv, and writes docs/benchmarks.md from its last ones. */
export class Report {
  readonly #rows: Row[] = [];

  add(row: Row): void {
    this.#rows.push(row);
    const verdict = row.isMet ? 'met' : 'missed';
    console.log(
      `\n${row.name}\n  goal      ${row.goal}\n  measured  ${row.measured} (${verdict})\n  ${row.detail}`,
    );
  }

  /** @param docs the folder `docs` */
  write(docs: string): void {
    const history = join(docs, 'benchmarks/history.csv');
    const [, ...known] = parseCsv(readFileSync(history, 'utf8'));
    const date = new Date().toISOString().slice(0, 10);
    const machine = `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
    const fresh = this.#rows.map(({ name, goal, isMet, measured, detail }) => [
      ...[date, name, goal, isMet ? 'yes' : 'no', measured, detail, machine],
    ]);
    const all = [...known, ...fresh];
    writeFileSync(history, formatCsv([COLUMNS, ...all]));
    writeFileSync(join(docs, 'benchmarks.md'), renderPage(all.map(toEntry)));
  }
}

function toEntry(cells: readonly string[]): Entry {
  return Object.fromEntries(COLUMNS.map((column, index) => [column, cells[index] ?? ''])) as Entry;
}

/** The last entry of each figure with a verdict; goals that are missed come first. Entries without one compare two builds. */
export function renderPage(history: readonly Entry[]): string {
  const last = [
    ...new Map(history.filter(({ is_met }) => is_met !== '').map((entry) => [entry.figure, entry])).values(),
  ];
  const missed = last.filter(({ is_met }) => is_met === 'no');
  const met = last.filter(({ is_met }) => is_met === 'yes');
  return `# Benchmarks

Written by \`npm run bench\`. Ratios are taken within one run, because the machine is a shared one. Older figures are in [history.csv](benchmarks/history.csv), with what was compared once (before and after a change).

## Goals that are missed

${renderTable(missed)}
## Goals that are met

${renderTable(met)}
## How it was measured

${[...missed, ...met].map(renderNote).join('\n')}`;
}

function renderTable(entries: readonly Entry[]): string {
  const rows = entries.map(
    ({ figure, goal, measured, date }) => `| ${figure} | ${goal} | ${shorten(measured)} | ${date} |\n`,
  );
  return `| Figure | Goal | Measured | Date |\n|---|---|---|---|\n${rows.join('')}`;
}

function renderNote({ figure, measured, detail, machine }: Entry): string {
  const whole = shorten(measured) === measured ? '' : ` Measured: ${measured}.`;
  return `**${figure}.**${whole} ${detail[0]?.toUpperCase() ?? ''}${detail.slice(1)}. ${machine}.\n`;
}

/** The leading parts, between semicolons, that fit a cell; at least one. */
function shorten(measured: string): string {
  const [first = '', ...others] = measured.split('; ');
  let text = first;
  for (const part of others) {
    if (`${text}; ${part}`.length > CELL_MAX) break;
    text = `${text}; ${part}`;
  }
  return text;
}
