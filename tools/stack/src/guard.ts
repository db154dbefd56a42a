// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';

/**
 * A shell that waits for the end of this process, which it notices even after SIGKILL, and then ends every process that
 * has a pid file in `runDir`. Where the shell was killed as well, the next start clears up.
 */
const SCRIPT = `
cat >/dev/null
for file in "$0"/*.pid; do
  [ -f "$file" ] || continue
  { read -r pid; read -r signal; read -r identity; } <"$file"
  if [ -r "/proc/$pid/cmdline" ]; then tr '\\0' ' ' <"/proc/$pid/cmdline" | grep -qF -- "$identity" || continue; fi
  kill -"\${signal#SIG}" "$pid" 2>/dev/null
done
if [ -n "$1" ]; then sleep 2; rm -rf "$1"; fi
`;

/** @returns what calls it off */
export function startGuard(runDir: string, removeDir = ''): () => void {
  const guard = spawn('sh', ['-c', SCRIPT, runDir, removeDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.on('error', () => undefined);
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return () => void guard.kill('SIGKILL');
}
