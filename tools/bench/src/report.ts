// SPDX-License-Identifier: Apache-2.0
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { BENCHES, BENCH_NAMES, type BenchName } from '../bench-names.mjs';
import { formatCsv, parseCsv } from './csv.ts';

/** Of a cell in the page: the CSV has all of it. */
const CELL_MAX = 90;

export interface Row {
  readonly name: string;
  readonly goal: string;
  readonly isMet: boolean;
  readonly measured: string;
  readonly detail: string;
}

const COLUMNS = ['date', 'bench', 'figure', 'goal', 'is_met', 'measured', 'detail', 'machine'] as const;
type Entry = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** Prints every figure as it comes, appends them to docs/benchmarks/history.csv, and writes docs/benchmarks.md from its last ones. */
export class Report {
  readonly #rows: (Row & { readonly bench: string })[] = [];
  #bench = '';

  /** What is added from here on is of this bench. */
  begin(bench: BenchName): void {
    this.#bench = bench;
  }

  add(row: Row): void {
    this.#rows.push({ ...row, bench: this.#bench });
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
    const fresh = this.#rows.map(({ bench, name, goal, isMet, measured, detail }) => [
      ...[date, bench, name, goal, isMet ? 'yes' : 'no', measured, detail, machine],
    ]);
    const all = [...known, ...fresh];
    writeFileSync(history, formatCsv([COLUMNS, ...all]));
    writeFileSync(join(docs, 'benchmarks.md'), renderPage(all.map(toEntry)));
  }
}

function toEntry(cells: readonly string[]): Entry {
  return Object.fromEntries(COLUMNS.map((column, index) => [column, cells[index] ?? ''])) as Entry;
}

/** The last entry of each figure with a verdict, by bench. Entries without a verdict compare two builds. */
export function renderPage(history: readonly Entry[]): string {
  const last = [
    ...new Map(history.filter(({ is_met }) => is_met !== '').map((entry) => [entry.figure, entry])).values(),
  ];
  const rows = BENCH_NAMES.flatMap((name) => last.filter(({ bench }) => bench === name).map(renderRow));
  const methods = BENCH_NAMES.map((name) => `- **${name}**: ${BENCHES[name]}\n`);
  return `# Benchmarks

Written by \`npm run bench\`. Ratios are taken within one run, because the machine is a shared one. [history.csv](benchmarks/history.csv) has how each figure came about, older ones, and what was compared once.

| Bench | Figure | Goal | Measured | Met | Date |
|---|---|---|---|---|---|
${rows.join('')}
## How each measures

${methods.join('')}`;
}

function renderRow({ bench, figure, goal, measured, is_met, date }: Entry): string {
  const met = is_met === 'yes' ? 'yes' : '**no**';
  return `| ${bench} | ${figure} | ${goal} | ${shorten(measured)} | ${met} | ${date} |\n`;
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
