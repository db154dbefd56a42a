import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For the data of one server: it goes with the server, see spawnServer. */
export function createTemporaryDirectory(prefix: string): string {
  return mkdtempSync(join(tmpdir(), `chainwatch-${prefix}-`));
}

export function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
