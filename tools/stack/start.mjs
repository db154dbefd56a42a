/** `npm start`: the whole service on this machine. See README.md. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { exitWith } from '../../libs/host/src/setup-error.mjs';
import { parseStackOptions } from './stack-options.mjs';

try {
  const options = parseStackOptions(process.argv.slice(2));
  const servers = await prepare({ hasDevnet: options.hasDevnet });
  const startedAt = Date.now();
  const { bundleServices } = await import('./bundle.mjs');
  const distDir = await bundleServices();
  const { startStack } = await import(pathToFileURL(join(distDir, 'stack.mjs')).href);
  await startStack({ ...options, ...servers, distDir, startedAt });
} catch (error) {
  exitWith(error);
}
