import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import type { ChainwatchEvent } from '@chainwatch/sdk';

/** The effect: each event once, a line of a file. In production: a row of your database, unique on `event_id`. */
export class EventFile {
  readonly #known: Set<string>;
  readonly #file: number;

  constructor(path: string) {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    // A line without its end was being written when the process was killed: its event comes again.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
    const lines = whole.split('\n').filter(Boolean);
    this.#known = new Set(lines.map((line) => (JSON.parse(line) as ChainwatchEvent).event_id));
    this.#file = openSync(path, 'a');
  }

  /** On the disk when it returns. @returns false for an event that is there */
  add(event: ChainwatchEvent): boolean {
    if (this.#known.has(event.event_id)) return false;
    writeSync(this.#file, `${JSON.stringify(event)}\n`);
    fsyncSync(this.#file);
    this.#known.add(event.event_id);
    return true;
  }

  close(): void {
    closeSync(this.#file);
  }
}
