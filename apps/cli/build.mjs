// SPDX-License-Identifier: Apache-2.0
/**
 * `node apps/cli/build.mjs chainwatch.mjs`: the CLI in one file that Node runs alone. Without a path: what is published,
 * into `dist`. Publish with `npm run build && npm publish ./dist`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = dirname(fileURLToPath(import.meta.url));
const repoDir = resolve(folder, '../..');
/** Beside what the bundle is made of. */
const SETTINGS = ['package-lock.json', 'apps/cli/build.mjs'];

/** @returns {Promise<string>} the bundle of the sources as they are, made where it is missing */
export async function bundleCli() {
  const cache = join(repoDir, '.chainwatch', 'cli');
  const list = join(cache, 'inputs.json');
  const known = existsSync(list) ? hashFiles(JSON.parse(readFileSync(list, 'utf8'))) : undefined;
  const kept = join(cache, `${known}.mjs`);
  if (known !== undefined && existsSync(kept)) return kept;
  mkdirSync(cache, { recursive: true });
  const partial = join(cache, `${process.pid}.mjs`);
  const inputs = [...(await buildCli(partial)), ...SETTINGS].sort();
  const hash = hashFiles(inputs);
  const path = join(cache, `${hash}.mjs`);
  // Not what another process is making of the same sources.
  for (const name of readdirSync(cache))
    if (/^[0-9a-f]{16}\.mjs$/.test(name) && !name.startsWith(`${hash}`))
      rmSync(join(cache, name), { force: true });
  renameSync(partial, path);
  writeFileSync(`${list}.${process.pid}`, JSON.stringify(inputs));
  renameSync(`${list}.${process.pid}`, list);
  return path;
}

/**
 * @param {string} path of the one file
 * @returns {Promise<string[]>} the files of the repository that it is made of
 */
export async function buildCli(path) {
  const { build } = await import('esbuild');
  const partial = `${path}.${process.pid}.mjs`;
  const { metafile } = await build({
    metafile: true,
    absWorkingDir: repoDir,
    entryPoints: ['apps/cli/src/main.ts'],
    outfile: partial,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [inlineWasm],
    // Optional native accelerators, asked for in a try block.
    external: ['bufferutil', 'utf-8-validate'],
    // CommonJS packages inside an ES module bundle call require for Node's own modules.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';import { fileURLToPath as __toPath } from 'node:url';const require = __createRequire(import.meta.url);const __filename = __toPath(import.meta.url);const __dirname = __toPath(new globalThis.URL('.', import.meta.url));",
    },
  });
  chmodSync(partial, 0o755);
  renameSync(partial, path);
  return Object.keys(metafile.inputs).filter((name) => !name.includes('node_modules/'));
}

/** Modules that read a file beside themselves: in one file it stands inside. */
const WASM_READS = [
  {
    path: /tiny-secp256k1\/lib\/wasm_loader\.js$/,
    read: 'readFileSync(path("secp256k1.wasm"))',
    wasm: 'secp256k1.wasm',
  },
];
/** @type {import('esbuild').Plugin} */
const inlineWasm = {
  name: 'inline-wasm',
  setup(build) {
    for (const { path: filter, read, wasm } of WASM_READS)
      build.onLoad({ filter }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes(read)) throw new Error(`expected ${read} in ${path}, got none`);
        const text = readFileSync(join(dirname(path), wasm)).toString('base64');
        return {
          contents: source.replace(read, `Buffer.from('${text}', 'base64')`),
          loader: path.endsWith('.ts') ? 'ts' : 'js',
        };
      });
  },
};

/**
 * What is published: the one file, README, changelog, license and a package.json of its own, which needs nothing.
 *
 * @param {string} outdir emptied first
 */
export async function buildPackage(outdir) {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  await buildCli(join(outdir, 'chainwatch.mjs'));
  for (const path of ['apps/cli/README.md', 'apps/cli/CHANGELOG.md', 'LICENSE'])
    cpSync(join(repoDir, path), join(outdir, path.split('/').at(-1) ?? path));
  const { name, version, description, keywords, type, engines, bin } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const published = {
    name,
    version,
    description,
    keywords,
    license: 'Apache-2.0',
    type,
    engines,
    bin,
    files: ['chainwatch.mjs', 'CHANGELOG.md'],
    publishConfig: { access: 'public', provenance: true },
  };
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/**
 * The package as a file that npm installs, for the gateway to serve.
 *
 * @param {string} path of the tarball
 */
export async function packCli(path) {
  const work = `${path}.${process.pid}`;
  await buildPackage(join(work, 'package'));
  const pack = ['pack', join(work, 'package'), '--pack-destination', work, '--silent', '--ignore-scripts'];
  const { stdout: packed } = await promisify(execFile)('npm', pack, {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  renameSync(join(work, packed.trim().split('\n').at(-1) ?? ''), path);
  rmSync(work, { recursive: true });
}

/**
 * @param {readonly string[]} files from the repository's root
 * @returns {string | undefined} undefined where one is gone
 */
function hashFiles(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const path = join(repoDir, file);
    if (!existsSync(path)) return undefined;
    hash.update(file).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = process.argv[2];
  if (path === undefined) await buildPackage(join(folder, 'dist'));
  else {
    mkdirSync(dirname(resolve(path)), { recursive: true });
    await buildCli(resolve(path));
  }
}
