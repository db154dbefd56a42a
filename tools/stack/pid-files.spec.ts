// SPDX-License-Identifier: Apache-2.0
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killLeftovers, readLivePidFile, writePidFile } from './pid-files.mjs';

let runDir: string;
let child: ChildProcess;

beforeEach(() => {
  runDir = mkdtempSync(join(tmpdir(), 'chainwatch-pids-'));
  child = spawn('sleep', ['60'], { stdio: 'ignore' });
});
afterEach(() => {
  child.kill('SIGKILL');
  rmSync(runDir, { recursive: true });
});

describe('killLeftovers', () => {
  it('ends a process whose command line fits, and removes its file', async () => {
    const exited = once(child, 'exit');
    writePidFile(runDir, 'sleeper', { pid: child.pid!, signal: 'SIGTERM', identity: 'sleep 60' });
    expect(readLivePidFile(runDir, 'sleeper')?.pid).toBe(child.pid);
    expect(await killLeftovers(runDir)).toEqual(['sleeper']);
    expect((await exited)[1]).toBe('SIGTERM');
    expect(existsSync(join(runDir, 'sleeper.pid'))).toBe(false);
  });

  it('leaves a stranger alone who got the same process id', async () => {
    writePidFile(runDir, 'sleeper', {
      pid: child.pid!,
      signal: 'SIGKILL',
      identity: '/clone/.chainwatch/dist/notifier.mjs',
    });
    expect(await killLeftovers(runDir)).toEqual([]);
    expect(child.exitCode ?? child.signalCode).toBeNull();
    expect(existsSync(join(runDir, 'sleeper.pid'))).toBe(false);
  });
});
