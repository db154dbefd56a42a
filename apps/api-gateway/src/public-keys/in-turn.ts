// SPDX-License-Identifier: Apache-2.0
const lastOf = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Runs work with the same name one at a time, in the order of the calls; each `scope` has its own names. */
export async function inTurn<T>(scope: object, name: string, work: () => Promise<T>): Promise<T> {
  const last = lastOf.get(scope) ?? new Map<string, Promise<unknown>>();
  lastOf.set(scope, last);
  const own = (last.get(name) ?? Promise.resolve()).then(work);
  // A failure has been reported to the caller that asked for the work.
  const settled = own.catch(() => undefined);
  last.set(name, settled);
  try {
    return await own;
  } finally {
    if (last.get(name) === settled) last.delete(name);
  }
}
