// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { killWithParent, waitFor } from '@chainwatch/testing';

export interface Example {
  readonly child: ChildProcess;
  /** What it printed so far, errors too. */
  readonly lines: readonly string[];
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** A program of `examples` as its package.json starts it; resolves when it has printed what `isReady` waits for. */
export async function startExample(
  name: string,
  env: Readonly<Record<string, string>>,
  isReady: RegExp,
): Promise<Example> {
  const cwd = join(repoDir, 'examples', name);
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  const [command = '', ...args] = scripts.start.split(' ');
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) child.once('exit', killWithParent(child.pid, 'KILL'));
  const ended = once(child, 'exit');
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.on('data', (chunk) => {
      const parts = `${rest}${String(chunk)}`.split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
  }
  const message = (): string => `${name} to print ${isReady}, got:\n${lines.join('\n')}`;
  await waitFor(() => lines.some((line) => isReady.test(line)), { message });
  return {
    child,
    lines,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
