// SPDX-License-Identifier: Apache-2.0
import { generateFiles, installPackagesTask, names } from '@nx/devkit';
import { join } from 'node:path';
import { addReference } from '../add-reference.mjs';
import { editFile } from '../edit-file.mjs';

/** @typedef {import('@nx/devkit').Tree} Tree */

/** Where the row of `libs/` in the map lists packages of a tag. */
const GROUPS = { domain: /Domain \([^)]*/, adapter: /adapters \([^)]*/ };

/**
 * `nx g @chainwatch/tools:library block-clock`
 * @param {Tree} tree
 * @param {{ name: string, tag?: 'domain' | 'adapter' }} options
 * @returns {() => void} links the package
 */
export default function generateLibrary(tree, { name, tag = 'domain' }) {
  const folder = `libs/${name}`;
  if (tree.exists(folder)) throw new Error(`expected a new name, got ${name}, which is a library already`);
  generateFiles(tree, join(import.meta.dirname, 'files'), folder, {
    name,
    tag,
    main: names(name).propertyName,
    tmpl: '',
  });
  addReference(tree, 'tsconfig.projects.json', folder);
  editFile(tree, 'README.md', [[GROUPS[tag], (group) => `${group}, \`${name}\``]]);
  return () => installPackagesTask(tree, true);
}
