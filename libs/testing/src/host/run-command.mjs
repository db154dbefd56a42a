// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';

/**
 * Runs a command to its end.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, account?: { uid: number, gid: number } }} [options]
 * @returns {Promise<{ code: number, output: string }>} the last 64 KiB of stdout and stderr; code 127 when there is no such command
 */
export function runCommand(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options.account,
    });
    let output = '';
    const onData = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString()).slice(-65_536);
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.on('error', (error) => resolve({ code: 127, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
