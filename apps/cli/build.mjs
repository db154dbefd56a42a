/** `node apps/cli/build.mjs chainwatch.mjs`: the CLI in one file that Node runs alone. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const repoDir = resolve(folder, '../..');
const SOURCES = ['apps/cli/src', 'libs/sdk/src', 'libs/webhook-signature/src', 'package-lock.json'];

/** @returns {Promise<string>} the bundle of the sources as they are, made where it is missing */
export async function bundleCli() {
  const cache = join(repoDir, '.chainwatch', 'cli');
  const hash = hashSources();
  const path = join(cache, `${hash}.mjs`);
  if (existsSync(path)) return path;
  mkdirSync(cache, { recursive: true });
  // Not what another process is making of the same sources.
  for (const name of readdirSync(cache))
    if (!name.startsWith(hash)) rmSync(join(cache, name), { force: true });
  await buildCli(path);
  return path;
}

/** @param {string} path of the one file */
export async function buildCli(path) {
  const { build } = await import('esbuild');
  const partial = `${path}.${process.pid}.mjs`;
  await build({
    absWorkingDir: repoDir,
    entryPoints: ['apps/cli/src/main.ts'],
    outfile: partial,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    // CommonJS packages inside an ES module bundle call require for Node's own modules.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
    },
  });
  chmodSync(partial, 0o755);
  renameSync(partial, path);
}

function hashSources() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(repoDir, source);
    const files = source.endsWith('.json')
      ? [path]
      : readdirSync(path, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
          .sort()
          .map((name) => join(path, name));
    for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = resolve(process.argv[2] ?? join(folder, 'dist', 'chainwatch.mjs'));
  mkdirSync(dirname(path), { recursive: true });
  await buildCli(path);
}
