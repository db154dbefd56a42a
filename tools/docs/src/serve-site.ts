// SPDX-License-Identifier: Apache-2.0
import { watch } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { createServer } from 'vitepress';
import { stageSite } from './stage-site.ts';

/** Several files change at once when a branch is checked out. */
const SETTLE_MS = 200;

/** The site with what changes in docs/ at once; the reference is as the code was at the start. */
export async function serveSite(): Promise<void> {
  const staged = join(repoDir, '.chainwatch/docs/serve');
  stageSite(staged);
  const server = await createServer(staged);
  await server.listen();
  server.printUrls();
  let timer: NodeJS.Timeout | undefined;
  watch(join(repoDir, 'docs'), { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => stageSite(staged), SETTLE_MS);
  });
}
