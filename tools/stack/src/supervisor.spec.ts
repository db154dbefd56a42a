// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessSpec } from '@chainwatch/testing/host';
import { Supervisor } from './supervisor.ts';

const folder = mkdtempSync(join(tmpdir(), 'chainwatch-supervisor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let supervisor: Supervisor;
beforeEach(() => {
  supervisor = new Supervisor({
    runDir: folder,
    logsDir: join(folder, 'logs'),
    print: () => undefined,
    levelMin: 30,
  });
});
afterEach(() => supervisor.stop(supervisor.names));

const node = (name: string, script: string): ProcessSpec => ({
  name,
  command: process.execPath,
  args: ['-e', script],
  identity: name,
});

it('waits for a slow process as long as it tells of its progress', async () => {
  const mark = join(folder, 'ready');
  const script = `let n = 0; setInterval(() => { console.log('step', ++n); if (n === 12) require('fs').writeFileSync(${JSON.stringify(mark)}, ''); }, 200)`;
  // It takes longer than the patience in all.
  await supervisor.start(node('slow', script), {
    isReady: async () => existsSync(mark),
    patienceMs: 1_500,
  });
  expect(existsSync(mark)).toBe(true);
});

it('gives up a process that says no more, and shows its last lines', async () => {
  const script = `console.log('first'); console.log('last'); setInterval(() => {}, 1_000)`;
  await expect(
    supervisor.start(node('stuck', script), { isReady: async () => false, patienceMs: 1_500 }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(
      /^stuck is not ready, and has written nothing for 1.5 s: its last lines are above, all of them in .*stuck\.log\.$/,
    ),
    detail: 'stuck | first\nstuck | last',
  });
});

it('says so where a process ended without a word', async () => {
  await expect(
    supervisor.start(node('silent', 'process.exit(3)'), { isReady: async () => false }),
  ).rejects.toMatchObject({ message: 'silent ended with exit code 3: it wrote nothing.', detail: '' });
});
