import { join } from 'node:path';
import { runCommand } from '../../stack/run-command.mjs';
import { repoDir } from '../../stack/repo.mjs';
import type { TestCounts } from './run-jest.ts';

interface Check {
  readonly name: string;
  /** Script inside node_modules, then its arguments. */
  readonly args: readonly string[];
}

const CHECKS: readonly Check[] = [
  { name: 'eslint', args: ['eslint/bin/eslint.js', '.', '--max-warnings', '0'] },
  { name: 'tsc', args: ['typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'] },
  { name: 'knip', args: ['knip/bin/knip.js'] },
  { name: 'dependency-cruiser', args: ['dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.mjs', 'apps', 'libs', 'tools'] },
];

/** The static checks, two at a time; each counts as one. */
export async function runChecks(): Promise<TestCounts[]> {
  await buildProjectGraph();
  const waiting = [...CHECKS];
  const results: TestCounts[] = [];
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check; check = waiting.shift()) results.push(await runCheck(check));
  };
  await Promise.all([work(), work()]);
  return results;
}

/** The boundary rule of Nx reads the graph from its cache, and skips itself with a mere warning where there is none. */
async function buildProjectGraph(): Promise<void> {
  const { code, output } = await runNode('nx/dist/bin/nx.js', ['show', 'projects']);
  if (code !== 0) throw new Error(`the project graph could not be built, module boundaries cannot be checked:\n${output}`);
}

async function runCheck({ name, args: [script = '', ...args] }: Check): Promise<TestCounts> {
  const startedAt = Date.now();
  const { code: exitCode, output } = await runNode(script, args);
  const code = output.includes('The rule will be skipped') ? 1 : exitCode;
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  console.log(code === 0 ? `PASS ${name} (${seconds} s)` : `FAIL ${name} (${seconds} s)\n${output}`);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function runNode(script: string, args: readonly string[]): ReturnType<typeof runCommand> {
  return runCommand(process.execPath, [join(repoDir, 'node_modules', script), ...args], {
    cwd: repoDir,
    env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false', FORCE_COLOR: '0' },
  });
}
