// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import jestConfig from '../../../jest.config.mjs';

export interface FileResult {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  /** Not begun: TEST_UNTIL was past. */
  readonly isSkipped: boolean;
  /** What failed, empty where nothing did. */
  readonly message: string;
  /** A line for each test that failed. */
  readonly failures: readonly string[];
}

/** Runs Jest with these arguments. A Jest that dies, or finds nothing to run, counts as one failure. */
export async function runJest(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<readonly FileResult[]> {
  const dir = await mkdtemp(join(tmpdir(), 'chainwatch-results-'));
  const resultsFile = join(dir, 'results.json');
  const child = spawn(process.execPath, [join(repoDir, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: repoDir,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...env,
      NODE_OPTIONS: '--no-warnings',
      RESULTS_FILE: resultsFile,
    },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const results = await readFile(resultsFile, 'utf8').then(
    (text) => JSON.parse(text) as FileResult[],
    () => [],
  );
  await rm(dir, { recursive: true, force: true });
  if (code === 0 || results.some(({ failed }) => failed > 0)) return results;
  const message = `Jest ended with ${code}.\n`;
  return [...results, { path: 'jest', passed: 0, failed: 1, isSkipped: false, message, failures: [message] }];
}

/** Arguments for these files; Jest ends whatever a failed spec left open. */
export function wholeRun(files: readonly string[], maxWorkers = jestConfig.maxWorkers): string[] {
  const config = {
    ...jestConfig,
    testSequencer: join(repoDir, 'tools/test/longest-first.mjs'),
    maxWorkers: Math.min(maxWorkers, files.length),
  };
  return ['--config', JSON.stringify(config), '--forceExit', '--runTestsByPath', ...files];
}
