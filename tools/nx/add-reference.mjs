import { updateJson } from '@nx/devkit';

/** @typedef {import('@nx/devkit').Tree} Tree */
/** @typedef {{ references: { path: string }[] }} References */

/**
 * References stand by their paths, as project-references.mjs writes them.
 * @param {Tree} tree
 * @param {string} file a tsconfig
 * @param {string} path
 */
export function addReference(tree, file, path) {
  updateJson(tree, file, (/** @type {References} */ config) => ({
    ...config,
    references: [...config.references, { path }].sort((one, other) => (one.path < other.path ? -1 : 1)),
  }));
}
