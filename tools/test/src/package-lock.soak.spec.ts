// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

const lock = JSON.parse(readFileSync(join(repoDir, 'package-lock.json'), 'utf8')) as {
  readonly packages: Record<string, unknown>;
};
// npm asks the environment of the npm that runs the specs before it asks .npmrc.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

let copyDir: string;
beforeEach(() => {
  copyDir = copyManifests();
});
afterEach(() => rmSync(copyDir, { recursive: true }));

it.each(['npm@10', 'npm@11'])('package-lock.json is accepted by %s ci', async (npm) => {
  expect(await dryRun(npm)).toMatchObject({ code: 0 });
});

it('package-lock.json is refused by npm@11 ci without the binary of another platform', async () => {
  const { ['node_modules/@biomejs/cli-darwin-arm64']: dropped, ...packages } = lock.packages;
  expect(dropped).toBeDefined();
  writeFileSync(join(copyDir, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
  const { code, output } = await dryRun('npm@11');
  expect(code).not.toBe(0);
  expect(output).toContain('Missing: @biomejs/cli-darwin-arm64');
});

const dryRun = (npm: string) => run('npx', ['--yes', npm, 'ci', '--dry-run'], copyDir);

/** What npm ci reads, without the packages that are installed. */
function copyManifests(): string {
  const dir = mkdtempSync(join(tmpdir(), 'chainwatch-lock-'));
  const folders = ['apps', 'libs', 'tools'].flatMap((parent) =>
    readdirSync(join(repoDir, parent)).map((name) => join(parent, name)),
  );
  for (const file of [
    '.npmrc',
    'package-lock.json',
    ...['.', ...folders].map((each) => join(each, 'package.json')),
  ])
    if (existsSync(join(repoDir, file))) cpSync(join(repoDir, file), join(dir, file));
  return dir;
}

function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
