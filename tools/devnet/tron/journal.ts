// SPDX-License-Identifier: Apache-2.0
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { JournalEntry, StoredBlock } from './tron-node.ts';

/** The blocks of a chain in a file, one line each, so that a restarted node goes on where it stopped. */
export class Journal {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true });
  }

  /** Every whole line; one that was cut off in the middle is a block that nobody was told of for long. */
  read(): JournalEntry[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as JournalEntry);
  }

  append({ id, timestampMs, witnessSignature, transactions }: StoredBlock): void {
    const entry: JournalEntry = {
      id,
      timestampMs,
      witnessSignature,
      transactions: transactions.map(({ rawData, signatures }) => [rawData.toString('hex'), signatures]),
    };
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}
