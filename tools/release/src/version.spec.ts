// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'version-spec-'));
  write('package.json', { name: 'all', version: '0.2.0', private: true, workspaces: ['libs/*'] });
  for (const name of ['a', 'b'])
    write(`libs/${name}/package.json`, { name: `@chainwatch/${name}`, version: '0.2.0', private: true });
  write('CHANGELOG.md', '# Changelog\n\nText.\n\n## 0.2.0 · 2026-11-29\n\n- First.\n');
  cpSync(join(repoDir, '.changeset'), join(folder, '.changeset'), { recursive: true });
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  git('init', '--quiet', '--initial-branch=main');
  execFileSync('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder, stdio: 'ignore' });
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, value: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(
    join(folder, path),
    typeof value === 'string' ? value : `${JSON.stringify(value, undefined, 2)}\n`,
  );
}

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
const release = (date: string): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [join(repoDir, 'tools/release/version.mjs'), date, folder], {
    encoding: 'utf8',
  });

it('raises all packages together, and writes a line for each change', () => {
  write('.changeset/one.md', '---\n"@chainwatch/a": patch\n---\n\nA retry waits.\n');
  write('.changeset/two.md', '---\n"@chainwatch/b": minor\n---\n\nChannels have\na name.\n');
  expect(release('2026-12-15')).toMatchObject({ status: 0, stdout: '0.3.0\n' });
  for (const path of ['package.json', 'libs/a/package.json', 'libs/b/package.json'])
    expect(JSON.parse(read(path))).toMatchObject({ version: '0.3.0' });
  expect(JSON.parse(read('package-lock.json')).version).toBe('0.3.0');
  expect(read('CHANGELOG.md')).toBe(
    '# Changelog\n\nText.\n\n## 0.3.0 · 2026-12-15\n\n### New\n\n- Channels have a name.\n\n### Fixed\n\n- A retry waits.\n\n## 0.2.0 · 2026-11-29\n\n- First.\n',
  );
  expect(readdirSync(join(folder, '.changeset')).sort()).toEqual(['README.md', 'config.json']);
}, 60_000);

it('makes no release of nothing, and takes no date that is none', () => {
  expect(release('2026-12-15')).toMatchObject({ status: 1, stdout: '' });
  expect(release('soon').status).toBe(2);
  expect(read('CHANGELOG.md')).toMatch(/## 0\.2\.0 · 2026-11-29\n\n- First\.\n$/);
}, 60_000);
