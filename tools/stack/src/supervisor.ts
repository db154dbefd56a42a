// SPDX-License-Identifier: Apache-2.0
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { removePidFile, writePidFile } from '../pid-files.mjs';
import { type ProcessSpec, SetupError } from '@chainwatch/testing/host';
import { formatLogLine } from './log-line.ts';
import { startProcess, type ManagedProcess } from './managed-process.ts';
import { waitUntil } from './wait-until.ts';

export interface SupervisorOptions {
  readonly runDir: string;
  readonly logsDir: string;
  /** A line for the console, already readable. */
  readonly print: (name: string, text: string) => void;
  /** Lines below are written to the log file only: 30 info, 40 warn. */
  readonly levelMin: number;
}

export interface StartOptions {
  readonly isReady: () => Promise<boolean>;
  /** A process that lives is waited for while it writes something within that time; default 120,000. */
  readonly patienceMs?: number;
}

const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 10_000;
/** A process that ran that long failed for a new reason. */
const STABLE_AFTER_MS = 30_000;

/** Keeps processes running: starts again what ends by itself, with a growing pause. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, ManagedProcess>();
  readonly #logs = new Map<string, WriteStream>();
  readonly #stopping = new AbortController();

  constructor(options: SupervisorOptions) {
    this.#options = options;
    mkdirSync(options.logsDir, { recursive: true });
  }

  /** @throws SetupError with the process's last lines when it ends or is not ready in time */
  async start(spec: ProcessSpec, { isReady, patienceMs = 120_000 }: StartOptions): Promise<void> {
    const child = this.#spawn(spec);
    const ended = new AbortController();
    void child.exited.then(() => ended.abort());
    const ready = await waitUntil(isReady, {
      timeoutMs: patienceMs,
      since: () => child.lastLineAt(),
      signal: ended.signal,
    });
    if (!ready || !child.isRunning()) {
      const outcome = child.isRunning()
        ? `is not ready, and has written nothing for ${patienceMs / 1_000} s`
        : `ended with ${await child.exited}`;
      const lines = child.lastLines().map((line) => `${spec.name} | ${formatLogLine(line).text}`);
      const where =
        lines.length === 0
          ? 'it wrote nothing'
          : `its last lines are above, all of them in ${this.#logFile(spec.name)}`;
      throw new SetupError(`${spec.name} ${outcome}: ${where}.`, lines.join('\n'));
    }
    void this.#keepRunning(spec, child);
  }

  /** Ends the processes named, all at once. */
  async stop(names: readonly string[]): Promise<void> {
    this.#stopping.abort();
    await Promise.all(
      names.map(async (name) => {
        await this.#running.get(name)?.stop();
        removePidFile(this.#options.runDir, name);
      }),
    );
  }

  get names(): readonly string[] {
    return [...this.#running.keys()];
  }

  #spawn(spec: ProcessSpec): ManagedProcess {
    const child = startProcess(spec, (line) => this.#log(spec.name, line));
    this.#running.set(spec.name, child);
    if (child.pid !== undefined)
      writePidFile(this.#options.runDir, spec.name, {
        pid: child.pid,
        signal: spec.stopSignal ?? 'SIGTERM',
        identity: spec.identity,
      });
    return child;
  }

  async #keepRunning(spec: ProcessSpec, first: ManagedProcess): Promise<void> {
    let child = first;
    let backoffMs = BACKOFF_MIN_MS;
    for (;;) {
      const startedAt = Date.now();
      const outcome = await child.exited;
      if (this.#stopping.signal.aborted) return;
      if (Date.now() - startedAt > STABLE_AFTER_MS) backoffMs = BACKOFF_MIN_MS;
      this.#options.print(spec.name, `ended with ${outcome}, starting it again in ${backoffMs} ms`);
      await delay(backoffMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
      backoffMs = Math.min(backoffMs * 2, BACKOFF_MAX_MS);
      child = this.#spawn(spec);
    }
  }

  #log(name: string, line: string): void {
    this.#logStream(name).write(`${line}\n`);
    const { level, text } = formatLogLine(line);
    if (level >= this.#options.levelMin) this.#options.print(name, text);
  }

  #logStream(name: string): WriteStream {
    const known = this.#logs.get(name);
    if (known) return known;
    const stream = createWriteStream(this.#logFile(name));
    this.#logs.set(name, stream);
    return stream;
  }

  #logFile(name: string): string {
    return join(this.#options.logsDir, `${name}.log`);
  }
}
