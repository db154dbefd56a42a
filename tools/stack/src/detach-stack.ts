// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir, SetupError } from '@chainwatch/testing/host';
import type { DetachedMessage } from './printer.ts';
import type { StackOptions } from './stack-options.ts';

/** Starts the supervisor as a process of its own and waits until it is ready. @throws SetupError with its words when it fails */
export async function detachStack(options: StackOptions, logsDir: string): Promise<void> {
  mkdirSync(logsDir, { recursive: true });
  const log = openSync(join(logsDir, 'stack.log'), 'w');
  const child = spawn(
    process.execPath,
    [join(repoDir, 'tools/stack/supervise.mjs'), JSON.stringify(options)],
    { cwd: repoDir, detached: true, stdio: ['ignore', log, log, 'ipc'] },
  );
  const interrupt = (): void => void child.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message: DetachedMessage) => {
      if (message.type === 'note') process.stdout.write(`${message.text}\n`);
      if (message.type === 'ready') resolve();
      if (message.type === 'failed') reject(new SetupError(message.message, message.detail));
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(
        new SetupError(
          `The stack ended with exit code ${code} before it was ready: see .chainwatch/logs/stack.log.`,
        ),
      ),
    );
  });
  if (child.connected) child.disconnect();
  child.removeAllListeners();
  child.unref();
  process.stdout.write('It runs in the background: npm run stop ends it.\n');
}
