const lastOf = new WeakMap<object, Map<string, Promise<unknown>>>();

/** Runs what has the same name one after the other, in the order of the calls; each `scope` for itself. */
export async function inTurn<T>(scope: object, name: string, work: () => Promise<T>): Promise<T> {
  const last = lastOf.get(scope) ?? new Map<string, Promise<unknown>>();
  lastOf.set(scope, last);
  const own = (last.get(name) ?? Promise.resolve()).then(work);
  // What failed was reported to whoever asked for it.
  const settled = own.catch(() => undefined);
  last.set(name, settled);
  try {
    return await own;
  } finally {
    if (last.get(name) === settled) last.delete(name);
  }
}
