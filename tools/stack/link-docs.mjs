// SPDX-License-Identifier: Apache-2.0
/** `node tools/stack/link-docs.mjs <bundle>`: puts the documentation beside the services of a bundle, which may run already. */
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { exitWith } from '../../libs/testing/src/host/setup-error.mjs';
import { bundleDocs } from './bundle-docs.mjs';

try {
  const link = join(process.argv[2] ?? '', 'docs');
  const partial = `${link}.${process.pid}`;
  symlinkSync(await bundleDocs(), partial);
  renameSync(partial, link);
} catch (error) {
  exitWith(error);
}
