// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock (proc(5)). */
const TICK_MS = 10;

/** Milliseconds of processor time that a process, its children and those that ended have used. */
export function processorTimeMs(pid: number): number {
  const parentOf = new Map<number, number>();
  const fieldsOf = new Map<number, readonly string[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = readFields(Number(name));
    if (fields === undefined) continue;
    fieldsOf.set(Number(name), fields);
    parentOf.set(Number(name), Number(fields[1]));
  }
  const family = [...fieldsOf.keys()].filter(
    (candidate) => candidate === pid || parentOf.get(candidate) === pid,
  );
  return family.reduce((total, member) => total + ticksOf(fieldsOf.get(member)!) * TICK_MS, 0);
}

/** The process that started this one. */
export function parentOf(pid: number): number {
  return Number(readFields(pid)?.[1]);
}

// From the state on; the name before it may hold anything.
function readFields(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
  } catch {
    return undefined;
  }
}

/** utime, stime, and both of the children that were waited for. */
function ticksOf(fields: readonly string[]): number {
  return fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
}
