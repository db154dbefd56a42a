// SPDX-License-Identifier: Apache-2.0
/** The background half of `npm start -- --detach`: gets the options as JSON, reports to its parent, then runs alone. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const options = JSON.parse(process.argv[2] ?? '{}');
const { superviseStack } = await import(pathToFileURL(join(options.distDir, 'stack.mjs')).href);
await superviseStack(options);
