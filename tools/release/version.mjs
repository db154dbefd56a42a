// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the next version of what waits in `.changeset`: raises every package and the root together, writes the section of
 * `CHANGELOG.md`, and takes the changesets away. `node tools/release/version.mjs 2026-12-15 [folder]`
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

const HEADINGS = { major: 'Breaking', minor: 'New', patch: 'Fixed' };

const [date = '', folder = repoDir] = process.argv.slice(2);
if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) {
  process.stderr.write('expected the date of the release, such as 2026-12-15\n');
  process.exit(2);
}
const call = (/** @type {string} */ command, /** @type {string[]} */ args) =>
  execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
const changeset = join(repoDir, 'node_modules/@changesets/cli/bin.js');

/** @type {{ changesets: { summary: string, releases: { type: 'major' | 'minor' | 'patch' }[] }[], releases: { newVersion: string }[] }} */
const plan = readPlan();
const version = plan.releases[0]?.newVersion;
if (plan.changesets.length === 0 || version === undefined) {
  process.stderr.write('nothing waits in .changeset: there is no release to make\n');
  process.exit(1);
}
call(process.execPath, [changeset, 'version']);
edit('package.json', (text) => text.replace(/"version": "[^"]+"/, `"version": "${version}"`));
edit('CHANGELOG.md', (text) => text.replace(/^## /m, `${writeSection()}\n## `));
call('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']);
process.stdout.write(`${version}\n`);

function readPlan() {
  const scratch = mkdtempSync(join(tmpdir(), 'release-plan-'));
  try {
    const file = join(scratch, 'plan.json');
    execFileSync(process.execPath, [changeset, 'status', '--output', file], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A line for each changeset, under what it is. */
function writeSection() {
  const groups = Object.entries(HEADINGS).map(([type, heading]) => {
    const lines = plan.changesets
      .filter(({ releases }) => releases[0]?.type === type)
      .map(({ summary }) => `- ${summary.replace(/\s+/g, ' ').trim()}\n`);
    return lines.length > 0 ? `### ${heading}\n\n${lines.join('')}\n` : '';
  });
  return `## ${version} · ${date}\n\n${groups.join('')}`.trimEnd() + '\n';
}

/** @param {string} path @param {(text: string) => string} change */
function edit(path, change) {
  const file = join(folder, path);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
