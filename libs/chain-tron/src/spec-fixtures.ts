// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';

// Recorded data of TRON, beside the repository: ../shared/fixtures/tron (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/tron/', import.meta.url);

const hasFixtures = existsSync(folder);
if (!hasFixtures) console.log('skipped: recorded data of TRON (../shared/fixtures/tron is absent)');

/** Without them the body, which reads them, is not run. */
export const describeFixtures: (name: string, body: () => void) => void = hasFixtures
  ? describe
  : (name) => describe.skip(name, () => it('needs recorded data', () => undefined));

export function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as T;
}
