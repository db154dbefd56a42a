// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findExecutable } from '@chainwatch/testing/host';
import { findMissing } from './find-missing.ts';

describe('findMissing', () => {
  it('says in one sentence what to install, and for which bench', () => {
    const folder = mkdtempSync(join(tmpdir(), 'programs-'));
    const find = (names: readonly string[], benches: readonly string[]): string | undefined => {
      for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o755 });
      return findMissing(benches, { PATH: folder });
    };
    // Some folders are looked into whatever PATH says.
    const sentence = findExecutable('nginx', { PATH: '' })
      ? undefined
      : 'rpc is measured beside nginx, not found here: install it (apt-get install nginx), or name other benches.';
    expect(find(['taskset'], ['rpc', 'hd'])).toBe(sentence);
    expect(find([], ['hd', 'lists'])).toBeUndefined();
    expect(find(['nginx'], ['rpc'])).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});
