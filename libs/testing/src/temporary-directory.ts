// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux's file system in memory. What a process that is killed has written is kept there as on a disk. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 8 * 1024 ** 3;

/** For the data of one server: it goes with the server, see spawnServer. In the folder TEST_DATA_DIR, where that is set. */
export function createTemporaryDirectory(prefix: string): string {
  return mkdtempSync(join(process.env.TEST_DATA_DIR || tmpdir(), `chainwatch-${prefix}-`));
}

/**
 * TEST_DATA_DIR for a run of specs: in memory, where there is enough. Most specs copy a database of 600 files, which takes
 * a second on a slow disk. Benches do not ask for it: they measure with the disk.
 */
export function chooseDataDir(): string {
  if (process.env.TEST_DATA_DIR) return process.env.TEST_DATA_DIR;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_BYTES_MIN ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

export function removeDirectory(directory: string): Promise<void> {
  return rm(directory, { recursive: true, force: true, maxRetries: 3 });
}
