import { writeFileSync, readFileSync, existsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

export interface Row {
  readonly name: string;
  readonly goal: string;
  readonly measured: string;
  readonly detail: string;
}

/** Prints every figure as it comes and writes them to docs/benchmarks.md, keeping the rows that this run did not measure. */
export class Report {
  readonly #rows: Row[] = [];

  add(row: Row): void {
    this.#rows.push(row);
    console.log(`\n${row.name}\n  goal      ${row.goal}\n  measured  ${row.measured}\n  ${row.detail}`);
  }

  write(file: string): void {
    const head = `# Benchmarks\n\nWritten by \`npm run bench\`. Ratios are taken within one run; the machine is a shared one.\n\n| figure | goal | measured | detail | when, where |\n|---|---|---|---|---|\n`;
    const kept = new Map<string, string>();
    if (existsSync(file))
      for (const line of readFileSync(file, 'utf8').split('\n'))
        if (line.startsWith('| ') && !line.startsWith('| figure'))
          kept.set(line.split(' | ')[0]!.slice(2), line);
    const where = `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
    for (const row of this.#rows)
      kept.set(row.name, `| ${row.name} | ${row.goal} | ${row.measured} | ${row.detail} | ${where} |`);
    writeFileSync(file, head + [...kept.values()].join('\n') + '\n');
  }
}
