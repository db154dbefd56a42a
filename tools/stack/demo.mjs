// SPDX-License-Identifier: Apache-2.0
/** `npm run demo`: shows the running stack at work; `-- send …` and `-- receive …` by hand. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { exitWith } from '../../libs/testing/src/host/setup-error.mjs';
import { parseDemoOptions } from './demo-options.mjs';
import { prepare } from './prepare.mjs';

try {
  const options = parseDemoOptions(process.argv.slice(2));
  await prepare();
  const { bundleServices } = await import('./bundle.mjs');
  const { runDemo } = await import(pathToFileURL(join(await bundleServices(), 'demo.mjs')).href);
  await runDemo(options);
} catch (error) {
  exitWith(error);
}
