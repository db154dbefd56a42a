// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { wholeRun } from './run-jest.ts';

/** Runs Jest unseen. @returns what its reporter wrote of each file */
async function run(
  args: readonly string[],
  env: object = {},
): Promise<[number | null, Record<string, unknown>[]]> {
  const folder = await mkdtemp(join(tmpdir(), 'chainwatch-results-'));
  const RESULTS_FILE = join(folder, 'results.json');
  const jest = spawn(process.execPath, [join(repoDir, 'node_modules/jest/bin/jest.js'), ...args], {
    cwd: repoDir,
    env: { ...process.env, ...env, RESULTS_FILE },
    stdio: 'ignore',
  });
  const [code] = (await once(jest, 'exit')) as [number | null];
  const files = JSON.parse(await readFile(RESULTS_FILE, 'utf8')) as Record<string, unknown>[];
  await rm(folder, { recursive: true });
  return [code, files];
}

it('begins no spec after TEST_UNTIL, and Jest takes each as skipped and not as failed', async () => {
  const [code, files] = await run(['libs/common/src/caip'], { TEST_UNTIL: '1' });
  expect(code).toBe(0);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect(file).toMatchObject({ passed: 0, failed: 0, isSkipped: true, failures: [] });
});

it('answers every process that asks for its configuration', async () => {
  const [code, files] = await run(['libs/common/src', 'libs/verify/src/vectors', '--maxWorkers=4']);
  expect(code).toBe(0);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) expect(file).toMatchObject({ failed: 0, isSkipped: false });
});

it('runs specs with the environment of the run', () => {
  expect(Object.keys(process.env)).toEqual(expect.arrayContaining(['PATH', 'TINYPOOL_WORKER_ID']));
});

it('ends where a spec run alone failed and left a server open', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chainwatch-open-'));
  const path = join(folder, 'open.spec.ts');
  await writeFile(
    path,
    `import { createServer } from 'node:http';\nit('fails', () => { createServer().listen(0); throw new Error('before it closed'); });\n`,
  );
  const [option, config, ...others] = wholeRun([path], 1);
  const found = JSON.stringify({ ...(JSON.parse(config!) as object), roots: [folder] });
  const [, files] = await run([option!, found, ...others], { TEST_UNTIL: '' });
  await rm(folder, { recursive: true });
  expect(files).toMatchObject([{ path, passed: 0, failed: 1 }]);
});
