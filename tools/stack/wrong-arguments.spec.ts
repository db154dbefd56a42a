// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { repoDir } from '@chainwatch/testing/host';

/** Each script of package.json and each tool of the operator that takes arguments; none of them may begin its work. */
const TSX = ['--import', 'tsx'];
const SCRIPTS: readonly (readonly [name: string, script: readonly string[], ...args: string[][]])[] = [
  ['start', ['tools/stack/start.mjs'], ['--bogus'], ['--port-offset', 'x'], ['--port-offset', '1e3'], ['x']],
  ['stop', ['tools/stack/stop.mjs'], ['x'], ['--force']],
  ['build', ['tools/stack/build.mjs'], ['--out'], [''], ['a', 'b']],
  ['soak', ['tools/test/soak.mjs'], ['--scripts', '0'], ['--scripts'], ['x'], ['oracle', '--bogus']],
  ['bench', ['tools/bench/run.mjs'], ['x'], ['latency', 'x'], [''], ['--bogus']],
  ['docs', [...TSX, 'tools/docs/src/main.ts'], ['x'], ['build', '--x'], ['build', 'a', 'b']],
  [
    'demo',
    ['tools/stack/demo.mjs'],
    ['x'],
    ['send'],
    ['send', '--ether', '1'],
    ['send', '--to', 'x', '--ether', '1'],
    ['send', '--to', `0x${'0'.repeat(40)}`, '--ether', '0'],
    ['send', '--to', `0x${'0'.repeat(40)}`, '--ether', '-1'],
    ['send', '--to', 'a', '--btc', '1', '--sol', '1'],
    ['address', '--chain', 'doge'],
    ['mine', '--blocks', '501'],
    ['mine', '--blocks', '1.5'],
    ['receive', '--port', '65536'],
    ['receive', '--secret', ''],
    ['receive', '--bogus'],
  ],
  [
    'migrate',
    [...TSX, 'tools/db/src/migrate.ts'],
    ['--bogus'],
    ['x'],
    ['--check', '--wait', 'soon'],
    ['--check', '--wait', ''],
  ],
  [
    'bootstrap',
    [...TSX, 'tools/db/src/bootstrap.ts'],
    ['--bogus'],
    ['x'],
    ['--kubernetes-secret'],
    ['--kubernetes-secret', ''],
  ],
  ['rotate-secrets', [...TSX, 'tools/db/src/rotate-secrets.ts'], ['--help'], ['x']],
  ['list-lost-writes', [...TSX, 'tools/db/src/list-lost-writes.ts'], ['--help'], ['x']],
];

it.each(SCRIPTS)(
  '%s: wrong arguments end it with 2, and without a stack trace',
  async (_, script, ...rows) => {
    for (const args of rows) {
      const child = spawn(process.execPath, [...script, ...args], {
        cwd: repoDir,
        // Who begins its work in spite of them finds nothing.
        env: { PATH: process.env.PATH, DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' },
        timeout: 30_000,
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => (stdout += String(chunk)));
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      const [code] = (await once(child, 'close')) as [number | null];
      expect([args, code, stdout, /\n\s+at /.test(stderr)]).toEqual([args, 2, '', false]);
      expect(stderr.trim().split('\n')[0]).toMatch(/expected|Unknown|Unexpected|argument/);
    }
  },
  120_000,
);
