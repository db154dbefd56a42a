// SPDX-License-Identifier: Apache-2.0
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';

/** Files are those of cspell.json; a text on stdin is checked as if it were such a file. */
function spell(path?: string, input?: string): SpawnSyncReturns<string> {
  const files = path === undefined ? [] : [`stdin://${join(repoDir, path)}`];
  return spawnSync(join(repoDir, 'node_modules/.bin/cspell'), ['lint', '--no-progress', ...files], {
    ...{ cwd: repoDir, encoding: 'utf8', maxBuffer: 64 * 1_048_576 },
    ...(input === undefined ? {} : { input }),
  });
}

describe('spelling', () => {
  it('is right in pages, sources and examples', () => {
    const { status, stdout, stderr } = spell();
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    const [, checked] = /Files checked: (\d+)/.exec(stderr) ?? [];
    expect(Number(checked)).toBeGreaterThan(1_500);
  }, 300_000);

  // Words are what cspell does not know; the field's own words pass.
  it.each([
    [
      'docs/guides/planted.md',
      'Every delivry of chainwatch is signed.\n\nThe behaviour.',
      ['delivry', 'behaviour'],
    ],
    [
      'apps/dashboard/src/planted.tsx',
      '// A coment.\nthrow new Error(\'the trasaction of this utxo\');\nconst x = <p title="Ok">Your adress</p>;',
      ['coment', 'trasaction', 'adress'],
    ],
    [
      'apps/api-gateway/src/routes/planted/handler.ts',
      "export const text = { description: 'The recieved satoshi.' };",
      ['recieved'],
    ],
  ])('fails on misspelt words in %s', (path, text, words) => {
    const { status, stdout } = spell(path, text);
    const found = [...stdout.matchAll(/word \((\w+)\)/g)].map(([, word]) => word);
    expect([status, found]).toEqual([1, words]);
  });
});
