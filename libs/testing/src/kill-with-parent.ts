// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';

/**
 * Ends a child process and deletes its directory when this process is gone, however it went: a shell that waits for
 * the end of its input, which comes even after SIGKILL. Returns what calls it off.
 */
export function killWithParent(pid: number, signal: 'KILL' | 'QUIT', directory = ''): () => void {
  const script = 'cat >/dev/null; kill -"$1" "$0" 2>/dev/null; [ -z "$2" ] || { sleep 1; rm -rf "$2"; }';
  const guard = spawn('sh', ['-c', script, String(pid), signal, directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.on('error', () => undefined);
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return () => void guard.kill('SIGKILL');
}
