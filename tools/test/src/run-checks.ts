import { join } from 'node:path';
import { repoDir, runCommand } from '@chainwatch/host';
import type { TestCounts } from './run-jest.ts';

interface Check {
  readonly name: string;
  /** Script, then its arguments. */
  readonly args: readonly string[];
}

const CHECKS: readonly Check[] = [
  { name: 'tsc and eslint', args: ['tools/test/check-code.mjs'] },
  { name: 'knip', args: ['node_modules/knip/bin/knip.js'] },
  {
    name: 'dependency-cruiser',
    args: [
      'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.mjs',
      'apps',
      'libs',
      'tools',
    ],
  },
];

/** The static checks, one after the other beside the tests; each counts as one. */
export async function runChecks(): Promise<TestCounts[]> {
  const graph = await buildProjectGraph();
  if (graph.failed > 0) return [graph];
  const results: TestCounts[] = [];
  for (const check of CHECKS) results.push(await runCheck(check));
  return results;
}

/** The boundary rule of Nx reads the graph from its cache, and skips itself with a mere warning where there is none. */
async function buildProjectGraph(): Promise<TestCounts> {
  const { code, output } = await runNode('node_modules/nx/dist/bin/nx.js', ['show', 'projects']);
  if (code !== 0)
    console.log(`FAIL the project graph could not be built, module boundaries cannot be checked:\n${output}`);
  return { passed: 0, failed: code === 0 ? 0 : 1 };
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
  return runCommand(process.execPath, [join(repoDir, script), ...args], {
    cwd: repoDir,
    env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false', FORCE_COLOR: '0' },
  });
}
