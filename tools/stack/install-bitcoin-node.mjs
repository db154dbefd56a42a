// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { lastLines, runNpm } from './run-npm.mjs';
import { SetupError } from '../../libs/testing/src/host/setup-error.mjs';

const nodeDir = join(repoDir, 'tools/devnet/bitcoin');
const stampFile = join(nodeDir, 'node_modules', '.chainwatch-stamp');

/** Installs the Bitcoin node of the local chains, which has packages and a lock of its own. @throws {SetupError} */
export async function installBitcoinNode() {
  const lockHash = createHash('sha256')
    .update(readFileSync(join(nodeDir, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockHash) return;
  const startedAt = Date.now();
  process.stdout.write('Installing the Bitcoin node of the local chain (106 packages, 19 MB)\n');
  const { code, output } = await runNpm(nodeDir, ['ci']);
  if (code !== 0) {
    throw new SetupError(
      'The Bitcoin node of the local chain could not be installed: see the lines above, most often the package registry cannot be reached; fix that, or name a running regtest node in CHAINWATCH_DEVNET_BITCOIN_URL, or start without local chains: npm start -- --no-devnet.',
      lastLines(output),
    );
  }
  writeFileSync(stampFile, lockHash);
  process.stdout.write(`Installed the Bitcoin node in ${Math.round((Date.now() - startedAt) / 1_000)} s\n`);
}
