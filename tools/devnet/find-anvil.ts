// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { repoDir, SetupError } from '@chainwatch/testing/host';

/** @throws SetupError when npm has no anvil for this platform */
export function findAnvil(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch;
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}`;
  try {
    return join(
      dirname(createRequire(join(repoDir, 'package.json')).resolve(`${name}/package.json`)),
      'bin',
      'anvil',
    );
  } catch {
    throw new SetupError(
      `The npm package ${name} is missing: run npm install on this machine, or start without a local chain: npm start -- --no-devnet.`,
    );
  }
}
