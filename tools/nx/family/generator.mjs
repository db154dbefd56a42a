// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { generateFiles, installPackagesTask, names, updateJson } from '@nx/devkit';
import { addReference } from '../add-reference.mjs';
import { editFile } from '../edit-file.mjs';

/** @typedef {import('@nx/devkit').Tree} Tree */
/** @typedef {{ name: string, namespace?: string, displayName?: string }} FamilyOptions */
/** @typedef {{ name: string }} Named */

const REGISTRY = 'libs/chain-registry';

/**
 * `nx g @chainwatch/tools:family cardano --namespace=cip34`
 * @param {Tree} tree
 * @param {FamilyOptions} options
 * @returns {() => void} links the packages, and writes the deployment
 */
export default function generateFamily(tree, { name, namespace = name, displayName }) {
  const library = `libs/chain-${name}`;
  const app = `apps/block-ingestor-${name}`;
  if (tree.exists(library)) throw new Error(`expected a new name, got ${name}, which is a family already`);
  if (!/^[a-z0-9]{3,8}$/.test(namespace))
    throw new Error(`expected --namespace of three to eight letters and digits, got ${namespace}`);
  const { className } = names(name);
  const values = { name, namespace, className, displayName: displayName ?? className, tmpl: '' };
  generateFiles(tree, join(import.meta.dirname, 'files/library'), library, values);
  generateFiles(tree, join(import.meta.dirname, 'files/app'), app, values);
  for (const path of [library, app]) addReference(tree, 'tsconfig.projects.json', path);
  editFile(tree, 'README.md', [[/chain families \([^)]*/, (group) => `${group}, \`chain-${name}\``]]);
  register(tree, name);
  addService(tree, `block-ingestor-${name}`);
  return () => {
    installPackagesTask(tree, true);
    execFileSync(process.execPath, ['tools/stack/write-deployment.mjs'], {
      cwd: tree.root,
      stdio: 'inherit',
    });
  };
}

/**
 * @param {Tree} tree
 * @param {string} name
 */
function register(tree, name) {
  const importLine = `import { ${name} } from '@chainwatch/chain-${name}/entry';\n`;
  editFile(tree, `${REGISTRY}/src/entries.ts`, [
    [/(?:^import [^;]*;\n)+/m, (imports) => `${imports}${importLine}`],
    [/ = \[[^\]]*(?=\];)/, (list) => `${list}, ${name}`],
  ]);
  updateJson(tree, `${REGISTRY}/package.json`, (manifest) => ({
    ...manifest,
    dependencies: Object.fromEntries(
      Object.entries({ ...manifest.dependencies, [`@chainwatch/chain-${name}`]: '*' }).sort(
        ([one], [other]) => (one < other ? -1 : 1),
      ),
    ),
  }));
  addReference(tree, `${REGISTRY}/tsconfig.json`, `../chain-${name}`);
}

/**
 * Behind the ingestors that are there.
 * @param {Tree} tree
 * @param {string} name
 */
function addService(tree, name) {
  const row = { name, component: 'worker', replicas: 1, isScaled: false };
  const size = { cpu: '50m', memory: '192Mi', memoryMax: '512Mi' };
  updateJson(tree, 'deploy/services.json', (/** @type {Named[]} */ services) => {
    const last = services.findLastIndex((service) => service.name.startsWith('block-ingestor-'));
    return services.toSpliced(last + 1, 0, { ...row, ...size });
  });
}
