import { generateFiles, installPackagesTask, names, updateJson } from '@nx/devkit';
import { join } from 'node:path';

/** @typedef {import('@nx/devkit').Tree} Tree */
/** @typedef {{ references: { path: string }[] }} References */

const MAP = 'README.md';
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
  updateJson(tree, 'tsconfig.projects.json', (/** @type {References} */ projects) => ({
    ...projects,
    references: insertLibrary(projects.references, folder),
  }));
  const map = tree.read(MAP, 'utf8') ?? '';
  if (!GROUPS[tag].test(map)) throw new Error(`${MAP}: expected ${String(GROUPS[tag])}, got none`);
  tree.write(
    MAP,
    map.replace(GROUPS[tag], (group) => `${group}, \`${name}\``),
  );
  return () => installPackagesTask(tree, true);
}

/**
 * Apps, libraries and tools stand in this order, by name, as project-references.mjs lists them.
 * @param {References['references']} references
 * @param {string} path
 */
function insertLibrary(references, path) {
  return [...references, { path }].sort((one, other) => (one.path < other.path ? -1 : 1));
}
