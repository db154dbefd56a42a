// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from 'viem';
import { stateDir } from '@chainwatch/testing/host';

const file = join(stateDir, 'demo-token');

/** Where the demo token was deployed; the caller checks that the chain still has it. */
export function findDemoToken(): Address | undefined {
  return existsSync(file) ? (readFileSync(file, 'utf8').trim() as Address) : undefined;
}

export function rememberDemoToken(address: Address): void {
  writeFileSync(file, `${address}\n`);
}
