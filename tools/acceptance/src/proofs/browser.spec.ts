// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { Browser, HAS_BROWSER } from '../dashboard/browser.ts';

const folder = join(repoDir, 'libs/verify');
let dist: string;
beforeAll(() => {
  dist = mkdtempSync(join(tmpdir(), 'verify-'));
  execFileSync(process.execPath, [join(folder, 'build.mjs'), dist], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
});
afterAll(() => rmSync(dist, { recursive: true, force: true }));

(HAS_BROWSER ? it : it.skip)('the published file decides each vector in a browser', async () => {
  const browser = await Browser.open();
  try {
    const code = readFileSync(join(dist, 'index.js')).toString('base64');
    for (const name of ['mpt', 'merkle']) {
      const vectors = readFileSync(join(dist, 'vectors', `${name}.json`), 'utf8');
      const undecided = await browser.page.evaluate<string[]>(`(async () => {
        const { verifyTransaction } = await import('data:text/javascript;base64,${code}');
        const wrong = [];
        for (const { name, proof, trusted_block_hash: trustedBlockHash, expected, refused } of ${vectors}.vectors) {
          const shown = await verifyTransaction(proof, { trustedBlockHash }).catch(({ message }) => message);
          if ((refused ?? expected.index) !== (shown.index ?? shown)) wrong.push(name);
        }
        return wrong;
      })()`);
      expect(undecided).toEqual([]);
    }
    expect(browser.faults).toEqual([]);
  } finally {
    await browser.close();
  }
});
