// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

/** About what a screen shows. */
const LINES_MAX = 120;
const packages = ['apps', 'libs', 'tools'].flatMap((parent) =>
  readdirSync(join(repoDir, parent))
    .map((name) => `${parent}/${name}`)
    .filter((folder) => existsSync(join(repoDir, folder, 'package.json'))),
);

describe('READMEs', () => {
  it.each(packages)('%s has one of about a screen that begins with its title', (folder) => {
    const path = join(repoDir, folder, 'README.md');
    expect(existsSync(path)).toBe(true);
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines[0]).toMatch(/^# \S/);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.length).toBeLessThanOrEqual(LINES_MAX);
  });

  it('name every app and library in the map of the first page', () => {
    const page = readFileSync(join(repoDir, 'README.md'), 'utf8');
    const missing = packages
      .filter((folder) => !folder.startsWith('tools/'))
      .map((folder) => folder.replace(/^[a-z]+\//, ''))
      .filter(
        (name) => !page.includes(`\`${name.replace(/^block-ingestor-.*/, 'block-ingestor-<family>')}\``),
      );
    expect(missing).toEqual([]);
  });
});
