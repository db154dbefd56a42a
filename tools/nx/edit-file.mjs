// SPDX-License-Identifier: Apache-2.0
/** @typedef {import('@nx/devkit').Tree} Tree */

/**
 * @param {Tree} tree
 * @param {string} file
 * @param {readonly (readonly [RegExp, (found: string) => string])[]} changes
 * @throws where a place is not found
 */
export function editFile(tree, file, changes) {
  let text = tree.read(file, 'utf8') ?? '';
  for (const [pattern, change] of changes) {
    if (!pattern.test(text)) throw new Error(`${file}: expected ${String(pattern)}, got none`);
    text = text.replace(pattern, change);
  }
  tree.write(file, text);
}
