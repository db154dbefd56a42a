// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sumCounts } from './sum-counts.ts';

let countsDir: string;

beforeEach(() => {
  countsDir = mkdtempSync(join(tmpdir(), 'chainwatch-counts-'));
});
afterEach(() => rmSync(countsDir, { recursive: true }));

function count(
  project: string,
  target: string,
  counts: {
    passed: number;
    failed: number;
    failures?: string[];
    skipped?: string[];
    unstable?: string[];
  },
): void {
  mkdirSync(join(countsDir, project), { recursive: true });
  writeFileSync(join(countsDir, project, `${target}.json`), JSON.stringify(counts));
}
const task = (projectName: string, target: string, status = 0) => ({
  taskId: `${projectName}:${target}`,
  projectName,
  target,
  status,
});

describe('sumCounts', () => {
  it('adds what was counted, and one for each task that counts nothing', async () => {
    count('@chainwatch/common/caip', 'test', { passed: 76, failed: 0 });
    count('@chainwatch/data/bus', 'test', {
      passed: 4,
      failed: 0,
      skipped: ['libs/data/src/bus/bus.spec.ts'],
      unstable: ['libs/data/src/bus/one.spec.ts: expected 1'],
    });
    const tasks = [
      task('@chainwatch/common/caip', 'test'),
      task('@chainwatch/data/bus', 'test'),
      task('@chainwatch/tool-test', 'knip'),
    ];
    expect(await sumCounts({ code: 0, tasks, targets: ['test', 'knip'], countsDir })).toEqual({
      passed: 81,
      failed: 0,
      skipped: ['libs/data/src/bus/bus.spec.ts'],
      unstable: ['libs/data/src/bus/one.spec.ts: expected 1'],
      faults: [],
    });
  });

  it('counts the tests that failed, and a task that died as one', async () => {
    count('@chainwatch/data/bus', 'test', {
      passed: 4,
      failed: 2,
      failures: ['  libs/data/src/bus/bus.spec.ts: a bus > stops'],
    });
    count('@chainwatch/common/caip', 'test', { passed: 76, failed: 0 });
    const tasks = [
      task('@chainwatch/data/bus', 'test', 1),
      task('@chainwatch/common/caip', 'test', 1),
      task('@chainwatch/tool-test', 'knip', 1),
    ];
    expect(await sumCounts({ code: 1, tasks, targets: ['test', 'knip'], countsDir })).toEqual({
      passed: 4,
      failed: 4,
      skipped: [],
      unstable: [],
      faults: [
        '@chainwatch/data/bus:test: 2\n  libs/data/src/bus/bus.spec.ts: a bus > stops',
        '@chainwatch/common/caip:test: 1',
        '@chainwatch/tool-test:knip: 1',
      ],
    });
  });

  it.each([0, 1, null])('fails for a target that ran nowhere, with exit code %s', async (code) => {
    const sum = await sumCounts({ code, tasks: [], targets: ['test'], countsDir });
    expect(sum).toEqual({ passed: 0, failed: 1, skipped: [], unstable: [], faults: ['test ran nowhere'] });
  });

  it('fails when Nx does, though every task that it began passed', async () => {
    const sum = await sumCounts({
      code: 1,
      tasks: [task('@chainwatch/common/caip', 'test')],
      targets: ['test'],
      countsDir,
    });
    expect(sum).toEqual({ passed: 1, failed: 1, skipped: [], unstable: [], faults: ['Nx ended with 1'] });
  });
});
