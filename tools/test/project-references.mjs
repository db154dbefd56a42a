// SPDX-License-Identifier: Apache-2.0
/**
 * `node tools/test/project-references.mjs` writes every project's tsconfig.json: its references are the workspace packages
 * that its package.json names. A spec holds them to that.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

/** What a project has beside TypeScript in src, or in its folder for a tool. */
/** @type {Readonly<Record<string, readonly string[]>>} */
const MORE_FILES = {
  'apps/dashboard': ['src/**/*.tsx', 'vite.config.ts'],
  'libs/testing': ['src/host/*.mjs'],
  'tools/acceptance': ['../../examples/**/*.ts'],
  'tools/nx': ['**/*.mjs'],
  'tools/stack': ['*.mjs'],
  'tools/test': ['*.mjs', 'nx/*.mjs', '../../*.ts', '../../jest.config.mjs'],
};

/** Projects that run in a browser: other globals, and a bundler finds their modules. */
/** @type {Readonly<Record<string, object>>} */
const BROWSER_OPTIONS = {
  'apps/dashboard': {
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    types: ['node', 'jest', 'vite/client'],
  },
};

/** @returns {ReadonlyMap<string, object>} by path from the repository's root */
export function describeProjects() {
  const roots = ['apps', 'libs', 'tools'].flatMap((folder) =>
    readdirSync(join(repoDir, folder))
      .sort()
      .map((name) => `${folder}/${name}`),
  );
  const manifests = new Map(
    roots.map((root) => [root, JSON.parse(readFileSync(join(repoDir, root, 'package.json'), 'utf8'))]),
  );
  const rootByName = new Map([...manifests].map(([root, { name }]) => [name, root]));
  const projects = roots.map((root) => {
    const { dependencies, devDependencies } = manifests.get(root);
    const references = Object.keys({ ...dependencies, ...devDependencies })
      .flatMap((name) => rootByName.get(name) ?? [])
      .sort()
      .map((path) => ({ path: relative(root, path) }));
    const source = root.startsWith('tools/') ? '**/*' : 'src/**/*';
    return [
      `${root}/tsconfig.json`,
      {
        extends: '../../tsconfig.project.json',
        ...(root in BROWSER_OPTIONS && { compilerOptions: BROWSER_OPTIONS[root] }),
        include: [`${source}.ts`, '**/*.json', ...(MORE_FILES[root] ?? [])],
        exclude: ['**/node_modules', '**/tsconfig.json', ...(root in BROWSER_OPTIONS ? ['dist'] : [])],
        references,
      },
    ];
  });
  const all = { files: [], references: roots.map((path) => ({ path })) };
  return new Map(/** @type {[string, object][]} */ ([['tsconfig.projects.json', all], ...projects]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const projects = describeProjects();
  for (const [path, config] of projects)
    writeFileSync(join(repoDir, path), JSON.stringify(config, undefined, 2));
  execFileSync(join(repoDir, 'node_modules/.bin/biome'), ['format', '--write', ...projects.keys()], {
    cwd: repoDir,
    stdio: 'inherit',
  });
}
