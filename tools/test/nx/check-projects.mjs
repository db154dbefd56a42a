// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../check-code.mjs', import.meta.url));

/** Faults of a task in the summary of a run. */
const SHOWN = 5;

/**
 * Types and lint rules of these projects, in a process of its own.
 * @param {readonly import('./run-tasks.mjs').Task[]} tasks
 * @param {string} repoDir
 * @returns {Promise<Map<string, import('./run-tasks.mjs').Outcome>>}
 */
export async function checkProjects(tasks, repoDir) {
  // A compiler allocates much that lives briefly: with more room for the young, a sixth of the time goes.
  const child = spawn(process.execPath, ['--max-semi-space-size=64', script], {
    cwd: repoDir,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, NODE_OPTIONS: '', NX_DAEMON: 'false', FORCE_COLOR: '0' },
  });
  /** @type {Map<string, import('./run-tasks.mjs').Outcome>} */
  const outcomes = new Map();
  child.on('message', (/** @type {{ id: string, faults: string }} */ { id, faults }) => {
    const failed = faults === '' ? 0 : 1;
    const output = faults === '' ? '' : `${faults}\n`;
    const failures = faults
      .split('\n')
      .filter((line) => /\berror\b/.test(line))
      .slice(0, SHOWN);
    outcomes.set(id, { passed: 1 - failed, failed, output, failures });
  });
  child.send(tasks);
  await once(child, 'close');
  return outcomes;
}
