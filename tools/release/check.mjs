// SPDX-License-Identifier: Apache-2.0
/**
 * Says whether the repository is ready to be released as a version: one line on stderr for each reason against it, exit code 1.
 * `node tools/release/check.mjs 0.2.0 [folder]`
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

const [version = '', folder = repoDir] = process.argv.slice(2);
const read = (/** @type {string} */ path) => readFileSync(join(folder, path), 'utf8');
/** @type {string[]} */
const reasons = [];

if (!/^\d+\.\d+\.\d+$/.test(version)) {
  process.stderr.write('expected a version such as 0.2.0\n');
  process.exit(2);
}

const maintainer = JSON.parse(read('tools/release/maintainer.json'));
for (const [name, value] of Object.entries(maintainer))
  if (/OWNER|example\.(com|org)/.test(String(value)))
    reasons.push(`tools/release/maintainer.json: ${name} is a placeholder: ${value}`);

if (!read('.github/CODEOWNERS').includes(`* @${maintainer.owner}\n`))
  reasons.push(`.github/CODEOWNERS: expected @${maintainer.owner}`);

const manifests = [
  'package.json',
  ...['apps', 'libs', 'tools'].flatMap((parent) =>
    readdirSync(join(folder, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${parent}/${name}/package.json`),
  ),
];
for (const path of manifests) {
  const manifest = JSON.parse(read(path));
  if (manifest.version !== version) reasons.push(`${path}: version is ${manifest.version}`);
  if (manifest.license !== 'Apache-2.0') reasons.push(`${path}: license is ${manifest.license ?? 'missing'}`);
}

const [section = ''] = read('CHANGELOG.md')
  .split(/^## /m)
  .filter((one) => one.startsWith(`${version} `));
if (!/^\d+\.\d+\.\d+ · \d{4}-\d{2}-\d{2}\n/.test(section))
  reasons.push(`CHANGELOG.md: there is no section "## ${version} · YYYY-MM-DD"`);
else if (!/^- /m.test(section)) reasons.push(`CHANGELOG.md: the section of ${version} is empty`);

for (const reason of reasons) process.stderr.write(`${reason}\n`);
process.exit(reasons.length > 0 ? 1 : 0);
