// SPDX-License-Identifier: Apache-2.0
/**
 * Builds what receivers install into `dist`, or the folder that is given: JavaScript, types, vectors, README and a package.json of its own. Inside the
 * monorepo the sources are imported directly; node does not run TypeScript from an installed package.
 *
 * Publish with `npm run build && npm publish ./dist`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const dist = process.argv[2] ?? join(folder, 'dist');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json'), '--outDir', dist], {
  stdio: 'inherit',
});
for (const name of ['README.md', 'CHANGELOG.md', 'vectors', 'examples', 'receivers'])
  cpSync(join(folder, name), join(dist, name), { recursive: true });
cpSync(join(folder, '../../LICENSE'), join(dist, 'LICENSE'));

const { name, version, description, keywords, type, sideEffects, engines } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
);
const published = {
  name,
  version,
  description,
  keywords,
  license: 'Apache-2.0',
  type,
  sideEffects,
  engines,
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    './vectors/v1.json': './vectors/v1.json',
    './package.json': './package.json',
  },
  files: ['*.js', '*.d.ts', 'vectors', 'examples', 'receivers', 'CHANGELOG.md'],
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
