// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(repoDir, folder, 'package.json'), 'utf8'));
const root = readManifest('.');
const folders = ['apps', 'libs', 'tools']
  .flatMap((parent) => readdirSync(join(repoDir, parent)).map((name) => join(parent, name)))
  .filter((folder) => existsSync(join(repoDir, folder, 'package.json')));
const packages = folders.map((folder) => ({ folder, manifest: readManifest(folder) }));
const names = new Set(packages.map(({ manifest }) => manifest.name));
const pins = { ...root.dependencies, ...root.devDependencies };
const listAll = ({ dependencies, devDependencies }: Manifest) =>
  Object.entries({ ...dependencies, ...devDependencies });

describe('versions stand in one place, the root package.json', () => {
  it('pins every version exactly there', () => {
    expect(Object.entries(pins).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
      [],
    );
  });

  it.each(packages)('$folder names what it needs and leaves the version to the root', ({ manifest }) => {
    const needed = listAll(manifest);
    expect(needed.filter(([, version]) => version !== '*')).toEqual([]);
    expect(needed.filter(([name]) => !(name in pins) && !names.has(name))).toEqual([]);
  });

  it('locks one copy of each pinned package for all of them', () => {
    const lock = JSON.parse(readFileSync(join(repoDir, 'package-lock.json'), 'utf8'));
    const paths = Object.keys(lock.packages);
    expect(
      folders.flatMap((folder) => paths.filter((path) => path.startsWith(`${folder}/node_modules/`))),
    ).toEqual([]);
    for (const [name, version] of Object.entries(pins))
      expect({ name, version: lock.packages[`node_modules/${name}`]?.version }).toEqual({ name, version });
  });
});
