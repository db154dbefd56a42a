import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jestConfig from '../../../jest.config.mjs';
import { bundleServices } from '../../stack/bundle.mjs';
import { repoDir } from '@chainwatch/host';
import { groupSpecs } from './group-specs.ts';

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** Runs Jest over the paths and patterns given, or over everything. A Jest that dies counts as one failure. */
export async function runJest(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<TestCounts> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'chainwatch-test-')));
  const summaryFile = join(dir, 'summary.json');
  // Several specs start the services at the same time: found made, they are not made three times over. What fails here fails there, too.
  if (args.length === 0) await bundleServices().catch(() => undefined);
  const child = spawn(
    process.execPath,
    [
      join(repoDir, 'node_modules/jest/bin/jest.js'),
      ...(args.length === 0 ? everythingIn(dir) : ['--config', join(repoDir, 'jest.config.mjs'), ...args]),
    ],
    {
      cwd: repoDir,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...env,
        NODE_OPTIONS: '--experimental-vm-modules --no-warnings',
        SUMMARY_FILE: summaryFile,
      },
    },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  const counts = await readFile(summaryFile, 'utf8').then(
    (text) => JSON.parse(text) as TestCounts,
    () => ({ passed: 0, failed: 1 }),
  );
  await rm(dir, { recursive: true, force: true });
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** Arguments for a whole run; `dir` takes the files that import small specs together. */
function everythingIn(dir: string): string[] {
  return [
    '--config',
    JSON.stringify({
      ...jestConfig,
      roots: [...jestConfig.roots, dir],
      testSequencer: join(repoDir, 'tools/test/longest-first.mjs'),
    }),
    '--runTestsByPath',
    ...groupSpecs(dir),
  ];
}
