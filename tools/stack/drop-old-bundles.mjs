// SPDX-License-Identifier: Apache-2.0
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { distDir } from '../../libs/testing/src/host/repo.mjs';

const KEPT_BUNDLES = 3;
/** A stack or a test may still run on a bundle that others have replaced. */
const KEPT_MS = 6 * 3_600_000;

/** @param {'' | 'docs-'} prefix before the hash: each kind keeps its newest */
export function dropOldBundles(prefix) {
  const isKind = new RegExp(`^${prefix}[0-9a-f]{16}$`);
  const bundles = readdirSync(distDir)
    .filter((name) => isKind.test(name))
    .map((name) => ({ path: join(distDir, name), usedAt: statSync(join(distDir, name)).mtimeMs }))
    .sort((one, other) => other.usedAt - one.usedAt);
  for (const { path, usedAt } of bundles.slice(KEPT_BUNDLES)) {
    if (Date.now() - usedAt > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
