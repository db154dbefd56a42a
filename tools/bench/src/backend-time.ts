import { readFileSync } from 'node:fs';

/** Milliseconds that a process with one thread has been on a processor, in nanoseconds of the scheduler (proc(5)). */
export function backendTimeMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}
