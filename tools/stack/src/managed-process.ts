// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessSpec } from '@chainwatch/testing/host';

export interface ManagedProcess {
  readonly spec: ProcessSpec;
  readonly pid: number | undefined;
  readonly isRunning: () => boolean;
  /** The last lines it wrote. */
  readonly lastLines: () => readonly string[];
  /** When it wrote its last line, or was started: milliseconds of the clock. */
  readonly lastLineAt: () => number;
  /** Resolves with a phrase such as `exit code 1`. */
  readonly exited: Promise<string>;
  /** Asks it to end, and makes it end after `graceMs`. */
  stop(graceMs?: number): Promise<void>;
}

const LINES_KEPT = 20;

/** Starts a process in a process group of its own, so that Ctrl-C reaches the supervisor alone and the order of stopping is its. */
export function startProcess(spec: ProcessSpec, onLine: (line: string) => void): ManagedProcess {
  const child = spawn(spec.command, spec.args, {
    cwd: '/',
    env: { ...process.env, ...spec.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...spec.account,
  });
  const lines: string[] = [];
  let lastLineAt = Date.now();
  const keep = (line: string): void => {
    lastLineAt = Date.now();
    lines.push(line);
    if (lines.length > LINES_KEPT) lines.shift();
    onLine(line);
  };
  forEachLine(child, keep);
  const exited = describeExit(child, keep);
  const isRunning = (): boolean =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    spec,
    pid: child.pid,
    isRunning,
    lastLines: () => lines,
    lastLineAt: () => lastLineAt,
    exited,
    async stop(graceMs = 10_000) {
      if (!isRunning()) return;
      child.kill(spec.stopSignal ?? 'SIGTERM');
      const timer = new AbortController();
      const outcome = await Promise.race([
        exited,
        delay(graceMs, 'late', { signal: timer.signal, ref: false }).catch(() => 'over'),
      ]);
      timer.abort();
      if (outcome === 'late') child.kill('SIGKILL');
      await exited;
    },
  };
}

function forEachLine(child: ChildProcess, onLine: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let partial = '';
    stream?.on('data', (chunk: Buffer) => {
      const lines = (partial + chunk.toString()).split('\n');
      partial = lines.pop() ?? '';
      lines.filter((line) => line.trim() !== '').forEach(onLine);
    });
  }
}

async function describeExit(child: ChildProcess, onLine: (line: string) => void): Promise<string> {
  const failure = once(child, 'error').then(([error]) => error as Error);
  const end = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const outcome = await Promise.race([failure, end]);
  if (outcome instanceof Error) {
    onLine(outcome.message);
    return 'could not be started';
  }
  const [code, signal] = outcome;
  return signal ? `signal ${signal}` : `exit code ${code}`;
}
