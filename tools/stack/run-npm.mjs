// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../libs/testing/src/host/run-command.mjs';

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--progress=false'];

/**
 * Runs npm in a folder and says every five seconds how far it is.
 *
 * @param {string} cwd
 * @param {readonly string[]} args
 * @returns {Promise<{ code: number, output: string }>} code 127 when there is no npm
 */
export async function runNpm(cwd, args) {
  const startedAt = Date.now();
  const progress = setInterval(
    () =>
      process.stdout.write(
        `  npm … ${Math.round((Date.now() - startedAt) / 1_000)} s, ${countPackages(cwd)} folders in node_modules\n`,
      ),
    5_000,
  );
  // The npm that runs this script may be another one than the first on PATH.
  const npmCli = process.env.npm_execpath;
  const [command, prefix] =
    npmCli && /npm-cli\.[cm]?js$/.test(npmCli) ? [process.execPath, [npmCli]] : ['npm', []];
  const result = await runCommand(command, [...prefix, ...args, ...QUIET], { cwd });
  clearInterval(progress);
  return result;
}

/** @param {string} output */
export function lastLines(output) {
  return output.split('\n').slice(-30).join('\n');
}

/** @param {string} cwd */
function countPackages(cwd) {
  const dir = join(cwd, 'node_modules');
  return existsSync(dir) ? readdirSync(dir).length : 0;
}
