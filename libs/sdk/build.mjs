// SPDX-License-Identifier: Apache-2.0
/**
 * Builds what is published into `dist`, or the folder that is given: JavaScript, types, README and a package.json of its
 * own with the versions that the repository's root pins.
 *
 * Publish with `npm run build && npm publish ./dist`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const dist = process.argv[2] ?? join(folder, 'dist');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(folder, path), 'utf8'));

/** Of `./nats` alone: who uses it installs it. */
const OPTIONAL = '@nats-io/jetstream';

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json'), '--outDir', dist], {
  stdio: 'inherit',
});
for (const name of ['README.md', 'CHANGELOG.md', '../../LICENSE'])
  cpSync(join(folder, name), join(dist, basename(name)));

const manifest = read('package.json');
const pins = read('../../package.json').dependencies;
const toBuilt = (/** @type {string} */ path) => path.replace('./src/', './').replace(/\.ts$/, '.js');
const toType = (/** @type {string} */ path) => toBuilt(path).replace(/\.js$/, '.d.ts');
const entries = Object.entries(/** @type {Record<string, string>} */ (manifest.exports));
const { name, version, description, keywords, type, sideEffects, engines } = manifest;
const published = {
  name,
  version,
  description,
  keywords,
  license: read('../../package.json').license ?? 'Apache-2.0',
  type,
  sideEffects,
  engines,
  imports: {
    '#webcrypto': {
      node: toBuilt(manifest.imports['#webcrypto'].node),
      default: toBuilt(manifest.imports['#webcrypto'].default),
    },
  },
  exports: {
    ...Object.fromEntries(
      entries.map(([entry, path]) => [entry, { types: toType(path), default: toBuilt(path) }]),
    ),
    './package.json': './package.json',
  },
  dependencies: Object.fromEntries(
    Object.keys(manifest.dependencies)
      .filter((one) => one !== OPTIONAL)
      .map((one) => [one, pins[one]]),
  ),
  peerDependencies: { [OPTIONAL]: `^${pins[OPTIONAL]}` },
  peerDependenciesMeta: { [OPTIONAL]: { optional: true } },
  files: ['**/*.js', '**/*.d.ts', 'CHANGELOG.md'],
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
