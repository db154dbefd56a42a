// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { distDir, repoDir } from '../../libs/testing/src/host/repo.mjs';
import { runCommand } from '../../libs/testing/src/host/run-command.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';
import { dropOldBundles } from './drop-old-bundles.mjs';
import { hashFiles } from './hash-files.mjs';

/** Pages, and the code from which the reference is made. */
const SOURCES = [
  'docs',
  'tools/docs',
  'tools/sdk',
  'apps/api-gateway',
  'apps/cli',
  'libs',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'package-lock.json',
  ...listReadmes(),
];

function listReadmes() {
  const folders = ['apps', 'tools'].flatMap((folder) =>
    readdirSync(join(repoDir, folder)).map((name) => join(folder, name, 'README.md')),
  );
  return folders.filter((path) => existsSync(join(repoDir, path)));
}

/**
 * Builds the documentation, unless it was built from the same sources. A process of its own, in which VitePress sets the
 * environment as it likes.
 *
 * @returns {Promise<string>} the folder with its files
 * @throws {SetupError} with VitePress' messages, for example the links that lead nowhere
 */
export async function bundleDocs() {
  const target = join(distDir, `docs-${hashFiles(SOURCES)}`);
  if (existsSync(target)) {
    utimesSync(target, new Date(), new Date());
    return target;
  }
  const partial = `${target}.${process.pid}.${Date.now()}`;
  const { code, output } = await runCommand(
    process.execPath,
    ['--import', 'tsx', join(repoDir, 'tools/docs/src/main.ts'), 'build', partial],
    { cwd: repoDir, env: { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' } },
  );
  if (code !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new SetupError('The documentation could not be built: correct the pages named above.', output);
  }
  try {
    renameSync(partial, target);
  } catch {
    // Another process built the same sources in the meantime.
    rmSync(partial, { recursive: true, force: true });
  }
  dropOldBundles('docs-');
  return target;
}
