// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTagFaults } from '../module-boundaries.mjs';

let repoDir: string;

beforeEach(() => {
  repoDir = mkdtempSync(join(tmpdir(), 'chainwatch-tags-'));
  for (const folder of ['apps', 'libs', 'tools']) mkdirSync(join(repoDir, folder));
});
afterEach(() => rmSync(repoDir, { recursive: true }));

function addPackage(path: string, tags?: readonly string[]): void {
  mkdirSync(join(repoDir, path, 'src'), { recursive: true });
  writeFileSync(join(repoDir, path, 'package.json'), JSON.stringify({ nx: tags && { tags } }));
}

describe('findTagFaults', () => {
  it('has nothing to say about one known tag each', () => {
    addPackage('apps/notifier', ['type:app']);
    addPackage('libs/common', ['type:domain']);
    addPackage('tools/stack', ['type:tool']);
    expect(findTagFaults(repoDir)).toEqual([]);
  });

  it.each([
    ['no tag', undefined],
    ['an unknown tag', ['type:misc']],
    ['two tags', ['type:domain', 'type:adapter']],
    ['the tag of another folder', ['type:app']],
  ])('refuses a library with %s', (_case, tags) => {
    addPackage('libs/common', tags);
    expect(findTagFaults(repoDir)).toEqual([
      expect.stringContaining('libs/common: expected exactly one tag'),
    ]);
  });

  it('refuses sources without a package.json', () => {
    mkdirSync(join(repoDir, 'libs/stray/src'), { recursive: true });
    expect(findTagFaults(repoDir)).toEqual(['libs/stray has no package.json']);
  });
});
