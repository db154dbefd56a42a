// SPDX-License-Identifier: Apache-2.0
/** `npm run bench [-- pipeline latency]`: prepares the machine, then measures. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitWith } from '../../libs/testing/src/host/setup-error.mjs';
import { parseBenchNames } from './bench-names.mjs';
import { prepare } from '../stack/prepare.mjs';

try {
  // Before anything is installed.
  parseBenchNames(process.argv.slice(2));
  await prepare();
} catch (error) {
  exitWith(error);
}
const main = fileURLToPath(new URL('./src/main.ts', import.meta.url));
const { status } = spawnSync(process.execPath, ['--import', 'tsx', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
