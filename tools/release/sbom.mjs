// SPDX-License-Identifier: Apache-2.0
/**
 * Writes what the services are made of, a list of packages with their licenses after SPDX, as JSON:
 * `node tools/release/sbom.mjs FILE`. The image has a list of its own (deploy/docker-bake.hcl).
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';

const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('expected a file for the list\n');
  process.exit(2);
}
const list = execFileSync('npm', ['sbom', '--sbom-format=spdx', '--omit=dev', '--package-lock-only'], {
  cwd: repoDir,
  encoding: 'utf8',
  maxBuffer: 256 * 1_024 * 1_024,
});
writeFileSync(resolve(file), list);
