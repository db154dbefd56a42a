// SPDX-License-Identifier: Apache-2.0
/**
 * Builds what is published into `dist`, or the folder that is given: one file of JavaScript with what it needs inside, types,
 * vectors, the verifiers of other languages, README and a package.json of its own. Bundled, because the libraries that it
 * stands on name Node 20 although what is used of them runs on Node 18 and in browsers.
 *
 * Publish with `npm run build && npm publish ./dist`.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
const repoDir = resolve(folder, '../..');
const dist = process.argv[2] ?? join(folder, 'dist');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.build.json'), '--outDir', dist], {
  stdio: 'inherit',
});
const { metafile } = await build({
  absWorkingDir: repoDir,
  entryPoints: ['libs/verify/src/index.ts'],
  outfile: join(dist, 'index.js'),
  bundle: true,
  metafile: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'error',
});
for (const name of ['README.md', 'CHANGELOG.md', 'vectors', 'verifiers'])
  cpSync(join(folder, name), join(dist, name), { recursive: true });
cpSync(join(repoDir, 'LICENSE'), join(dist, 'LICENSE'));
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), listLicenses(Object.keys(metafile.inputs)));

const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const { name, version, description, keywords, type, sideEffects, engines } = manifest;
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
    './vectors/mpt.json': './vectors/mpt.json',
    './vectors/merkle.json': './vectors/merkle.json',
    './vectors/signed_merkle.json': './vectors/signed_merkle.json',
    './package.json': './package.json',
  },
  files: ['*.js', '*.d.ts', 'vectors', 'verifiers', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES'],
  publishConfig: { access: 'public', provenance: true },
};
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);

/**
 * Licenses of the packages that are in the bundle, whose sources npm has under the version named.
 *
 * @param {readonly string[]} inputs files from the repository's root
 */
function listLicenses(inputs) {
  const packages = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  return [...packages]
    .sort()
    .map((path) => {
      const root = join(repoDir, path);
      const {
        name: packageName,
        version: pin,
        license,
      } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
      const file = readdirSync(root).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? '' : `\n\n${readFileSync(join(root, file), 'utf8').trim()}`;
      return `${packageName} ${pin}, ${license}: https://www.npmjs.com/package/${packageName}/v/${pin}${text}\n`;
    })
    .join('\n----\n\n');
}
