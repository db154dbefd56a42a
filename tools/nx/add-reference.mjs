// SPDX-License-Identifier: Apache-2.0
import { editFile } from './edit-file.mjs';

/** @typedef {import('@nx/devkit').Tree} Tree */

/**
 * References stand by their paths, as project-references.mjs writes them.
 * @param {Tree} tree
 * @param {string} file a tsconfig
 * @param {string} path
 */
export function addReference(tree, file, path) {
  editFile(tree, file, [
    [
      /(?<="references": )\[[^]*\]/,
      (found) => {
        /** @type {{ path: string }[]} */
        const references = [...JSON.parse(found), { path }];
        references.sort((one, other) => (one.path < other.path ? -1 : 1));
        return JSON.stringify(references, undefined, 2).replaceAll('\n', '\n  ');
      },
    ],
  ]);
}
