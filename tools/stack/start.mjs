// SPDX-License-Identifier: Apache-2.0
/** `npm start`: the whole service on this machine. See README.md. */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';
import { repoDir, stateDir } from '../../libs/testing/src/host/repo.mjs';
import { exitWith } from '../../libs/testing/src/host/setup-error.mjs';
import { parseStackOptions } from './stack-options.mjs';

try {
  const options = parseStackOptions(process.argv.slice(2));
  const servers = await prepare({ hasDevnet: options.hasDevnet });
  const startedAt = Date.now();
  const { bundleServices } = await import('./bundle.mjs');
  const distDir = await bundleServices();
  linkDocs(distDir);
  const { startStack } = await import(pathToFileURL(join(distDir, 'stack.mjs')).href);
  await startStack({ ...options, ...servers, distDir, startedAt });
} catch (error) {
  exitWith(error);
}

/** Beside the start, which does not wait for it. @param {string} bundle */
function linkDocs(bundle) {
  mkdirSync(join(stateDir, 'logs'), { recursive: true });
  const log = openSync(join(stateDir, 'logs', 'docs.log'), 'a');
  const script = join(repoDir, 'tools/stack/link-docs.mjs');
  spawn(process.execPath, [script, bundle], { detached: true, stdio: ['ignore', log, log] }).unref();
  closeSync(log);
}
