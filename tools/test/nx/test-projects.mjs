// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../src/test-projects.ts', import.meta.url));

/**
 * The specs of these projects in one Jest, in a process of its own, which can load TypeScript.
 * @param {readonly import('./run-tasks.mjs').Task[]} tasks
 * @param {string} repoDir
 * @returns {Promise<Map<string, import('./run-tasks.mjs').Outcome>>}
 */
export async function testProjects(tasks, repoDir) {
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    cwd: repoDir,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  /** @type {Map<string, import('./run-tasks.mjs').Outcome>} */
  const outcomes = new Map();
  child.on(
    'message',
    (/** @type {{ id: string } & import('./run-tasks.mjs').Outcome} */ { id, ...outcome }) => {
      outcomes.set(id, outcome);
    },
  );
  child.send(tasks);
  await once(child, 'close');
  return outcomes;
}
