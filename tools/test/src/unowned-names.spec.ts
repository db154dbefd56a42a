// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

/** Whoever registers a name that is not ours would run code on the machines of our readers. */
const INSTALLS =
  /\b(?:npm (?:i|install|add|exec)|npx|pnpm (?:add|dlx)|yarn add|bun add|bunx)\s+(?!--no-install |nx )[^\n`]*(?<![\w/.])(?:@chainwatch\/|chainwatch\b(?![-/.]))/;

it.each([
  ['npm install @chainwatch/sdk', true],
  ['npx chainwatch listen', true],
  ['npm install -g chainwatch', true],
  ['npx --no-install chainwatch listen', false],
  ['npm install ./chainwatch-sdk-0.1.0.tgz', false],
])('%s: a name of a registry: %p', (text, isFound) => {
  expect(INSTALLS.test(text)).toBe(isFound);
});

it('no page, example or text of the program tells to install a name that is not ours', () => {
  const files = execFileSync('git', ['ls-files', '*.md', '*.mjs', '*.ts', '*.html', '*.yaml'], {
    cwd: repoDir,
    encoding: 'utf8',
  });
  const found = files
    .trim()
    .split('\n')
    .filter((path) => !path.endsWith('.spec.ts') && INSTALLS.test(readFileSync(join(repoDir, path), 'utf8')));
  expect(found).toEqual([]);
});

it('no example lets npm fetch packages: it runs with those of the repository', () => {
  const files = execFileSync('git', ['ls-files', 'examples/**/package.json'], {
    cwd: repoDir,
    encoding: 'utf8',
  });
  const manifests = files.trim().split('\n');
  expect(manifests.length).toBeGreaterThan(0);
  expect(manifests.filter((path) => /ependencies"/.test(readFileSync(join(repoDir, path), 'utf8')))).toEqual(
    [],
  );
});
