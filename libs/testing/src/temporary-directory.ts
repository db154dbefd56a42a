import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const directories = new Set<string>();

process.once('exit', () => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** A directory that vanishes with the test process. */
export function createTemporaryDirectory(prefix: string): string {
  const directory = mkdtempSync(join(tmpdir(), `chainwatch-${prefix}-`));
  directories.add(directory);
  return directory;
}
