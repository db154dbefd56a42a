// SPDX-License-Identifier: Apache-2.0
/**
 * Builds the published packages and packs each as npm would publish it: `node tools/release/pack.mjs FOLDER`. Prints the
 * files, one a line.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

const PACKAGES = ['libs/webhook-signature', 'libs/verify', 'libs/sdk'];

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('expected a folder for the packages\n');
  process.exit(2);
}
const target = resolve(folder);
mkdirSync(target, { recursive: true });
for (const path of PACKAGES) {
  const built = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    execFileSync(process.execPath, [join(repoDir, path, 'build.mjs'), built], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
      cwd: built,
      encoding: 'utf8',
    });
    for (const { filename } of JSON.parse(packed)) process.stdout.write(`${join(target, filename)}\n`);
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
