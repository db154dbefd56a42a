// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A line of Nx's run.json. */
export interface NxTask {
  readonly taskId: string;
  readonly projectName: string;
  readonly target: string;
  /** Exit code. */
  readonly status: number;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Lines that name what failed. */
  readonly failures?: readonly string[];
  /** Spec files that were not begun, because TEST_UNTIL was past. */
  readonly skipped?: readonly string[];
  /** Lines that name what failed beside other specs and passed alone, see TEST_AGAIN. */
  readonly unstable?: readonly string[];
}

/**
 * Adds up what the tasks of a run counted; a task that counts nothing is one. A target that ran nowhere has failed, and so
 * has a run that Nx calls failed without a task that did, since tasks that were never begun are in no list.
 */
export async function sumCounts(run: {
  readonly code: number | null;
  readonly tasks: readonly NxTask[];
  readonly targets: readonly string[];
  readonly countsDir: string;
}): Promise<Required<Omit<Counts, 'failures'>> & { readonly faults: readonly string[] }> {
  const faults = run.targets
    .filter((target) => run.tasks.every((task) => task.target !== target))
    .map((target) => `${target} ran nowhere`);
  let failed = faults.length;
  let passed = 0;
  const skipped: string[] = [];
  const unstable: string[] = [];
  for (const task of run.tasks) {
    const counts = await readCounts(run.countsDir, task);
    passed += counts.passed;
    failed += counts.failed;
    skipped.push(...(counts.skipped ?? []));
    unstable.push(...(counts.unstable ?? []));
    if (counts.failed > 0)
      faults.push([`${task.taskId}: ${counts.failed}`, ...(counts.failures ?? [])].join('\n'));
  }
  if (run.code !== 0 && failed === 0)
    return { passed, failed: 1, skipped, unstable, faults: [`Nx ended with ${run.code}`] };
  return { passed, failed, skipped, unstable, faults };
}

async function readCounts(countsDir: string, { projectName, target, status }: NxTask): Promise<Counts> {
  const counted = await readFile(join(countsDir, projectName, `${target}.json`), 'utf8').then(
    (text) => JSON.parse(text) as Counts,
    () => undefined,
  );
  if (status !== 0) return counted !== undefined && counted.failed > 0 ? counted : { passed: 0, failed: 1 };
  return counted ?? { passed: 1, failed: 0 };
}
