// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

interface Lock {
  readonly packages: Record<string, { readonly optionalDependencies?: Record<string, string> }>;
}

const lock: Lock = JSON.parse(readFileSync(join(repoDir, 'package-lock.json'), 'utf8'));

// What npm 10 and 11 say of it, the soak part `lock` asks.
it('package-lock.json has the binaries of every platform', () => {
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter((name) => !isLocked(path, name)),
  );
  expect(missing).toEqual([]);
});

/** As Node looks for it: beside what asks, then in each folder above. */
function isLocked(path: string, name: string): boolean {
  if (`${path ? `${path}/` : ''}node_modules/${name}` in lock.packages) return true;
  if (path === '') return false;
  return isLocked(
    path.includes('/node_modules/') ? path.slice(0, path.lastIndexOf('/node_modules/')) : '',
    name,
  );
}
