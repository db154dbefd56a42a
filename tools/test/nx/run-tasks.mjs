// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generatePrismaClient } from '../../stack/generate-prisma-client.mjs';
import { checkProjects } from './check-projects.mjs';
import { testProjects } from './test-projects.mjs';

/**
 * @typedef {{ id: string, project: string, root: string, kind: string }} Task
 * @typedef {{ passed: number, failed: number, output: string, failures: readonly string[], skipped?: readonly string[], unstable?: readonly string[] }} Outcome failures: a line for each
 * @typedef {{ root: string, projectName?: string, targetName?: string, projectsConfigurations: { projects: Record<string, { root: string }> } }} Context what Nx gives an executor
 */

/**
 * Every task of the run in two processes: one compiler program for all that is type-checked and linted, one Jest for all
 * specs. A process for each project costs twice the time, see docs/adr/0001. Nx keeps the outcome by project all the same.
 * @param {{ tasks: Record<string, { id: string, projectRoot?: string, target: { project: string, target: string } }> }} taskGraph
 * @param {unknown} _inputs
 * @param {unknown} _overrides
 * @param {Context} context
 */
export async function runAll(taskGraph, _inputs, _overrides, context) {
  const tasks = Object.values(taskGraph.tasks).map(({ id, target, projectRoot }) => ({
    id,
    project: target.project,
    root: projectRoot ?? context.projectsConfigurations.projects[target.project]?.root ?? '',
    kind: target.target,
  }));
  const outcomes = await runTasks(tasks, context.root);
  return Object.fromEntries(
    tasks.map(({ id }) => {
      const { failed, output } = outcomes.get(id) ?? noOutcome;
      return [id, { success: failed === 0, terminalOutput: output }];
    }),
  );
}

/** @param {unknown} _options @param {Context} context */
export async function runOne(_options, context) {
  const { projectName: project = '', targetName: kind = '', root } = context;
  const task = {
    id: project,
    project,
    root: context.projectsConfigurations.projects[project]?.root ?? '',
    kind,
  };
  const { failed, output } = (await runTasks([task], root)).get(project) ?? noOutcome;
  process.stdout.write(output);
  return { success: failed === 0 };
}

/** @param {readonly Task[]} tasks @param {string} repoDir */
async function runTasks(tasks, repoDir) {
  await generatePrismaClient();
  const isCheck = (/** @type {Task} */ { kind }) => kind === 'lint' || kind === 'typecheck';
  const checks = tasks.filter(isCheck);
  const tests = tasks.filter((task) => !isCheck(task));
  const all = await Promise.all([
    checks.length > 0 ? checkProjects(checks, repoDir) : [],
    tests.length > 0 ? testProjects(tests, repoDir) : [],
  ]);
  const outcomes = new Map(all.flatMap((some) => [...some]));
  for (const { id, project, kind } of tasks) {
    const { passed, failed, failures, skipped, unstable } = outcomes.get(id) ?? noOutcome;
    const file = join(repoDir, '.chainwatch/counts', project, `${kind}.json`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ passed, failed, failures, skipped, unstable }));
  }
  return outcomes;
}

/** @type {Outcome} */
const noOutcome = { passed: 0, failed: 1, output: 'The process that was to run it died.\n', failures: [] };
