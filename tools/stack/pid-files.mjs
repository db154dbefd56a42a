// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ pid: number, signal: NodeJS.Signals, identity: string }} PidFile */

/**
 * A pid file has three lines: pid, the signal that ends the process, and a part of its command line. A process id is
 * given to somebody else in time, so a file counts only while the command line of that process still fits.
 *
 * @param {string} runDir @param {string} name @param {PidFile} content
 */
export function writePidFile(runDir, name, { pid, signal, identity }) {
  mkdirSync(runDir, { recursive: true });
  writeFileSync(join(runDir, `${name}.pid`), `${pid}\n${signal}\n${identity}\n`);
}

/** @param {string} runDir @param {string} name */
export function removePidFile(runDir, name) {
  rmSync(join(runDir, `${name}.pid`), { force: true });
}

/** The process a file names, undefined when it is gone. @param {string} runDir @param {string} name @returns {PidFile | undefined} */
export function readLivePidFile(runDir, name) {
  const file = join(runDir, `${name}.pid`);
  if (!existsSync(file)) return undefined;
  const [pid = '', signal = '', identity = ''] = readFileSync(file, 'utf8').split('\n');
  if (!identity || !readCommandLine(Number(pid)).includes(identity)) return undefined;
  return { pid: Number(pid), signal: /** @type {NodeJS.Signals} */ (signal), identity };
}

/**
 * Ends what a supervisor left behind that was killed itself, and removes the files.
 * @param {string} runDir @param {number} [graceMs]
 * @returns {Promise<string[]>} names of the processes that were still there
 */
export async function killLeftovers(runDir, graceMs = 10_000) {
  if (!existsSync(runDir)) return [];
  const names = readdirSync(runDir)
    .filter((file) => file.endsWith('.pid'))
    .map((file) => file.slice(0, -'.pid'.length))
    // The caller may have announced itself already.
    .filter((name) => readLivePidFile(runDir, name)?.pid !== process.pid);
  const alive = names.filter((name) => readLivePidFile(runDir, name));
  await Promise.all(alive.map((name) => endProcess(runDir, name, graceMs)));
  for (const name of names) removePidFile(runDir, name);
  return alive;
}

/** Asks the process of a pid file to end, kills it after `graceMs`. @param {string} runDir @param {string} name @param {number} graceMs */
export async function endProcess(runDir, name, graceMs) {
  const deadline = Date.now() + graceMs;
  const found = readLivePidFile(runDir, name);
  if (!found) return;
  sendSignal(found.pid, found.signal);
  while (readLivePidFile(runDir, name)?.pid === found.pid) {
    if (Date.now() > deadline) sendSignal(found.pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone in the meantime.
  }
}

/** @param {number} pid @returns {string} empty when there is no such process, also when it is a zombie */
function readCommandLine(pid) {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
