// SPDX-License-Identifier: Apache-2.0
/**
 * Joins the work that is under way for `key`, or begins it. Work that fails is done again by each that joined it: whoever
 * began it may have given up.
 */
export async function shareFlight<T>(
  flights: Map<string, Promise<T>>,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  const running = flights.get(key);
  if (running !== undefined) {
    const joined = await running.then(
      (value) => ({ value }),
      () => undefined,
    );
    if (joined !== undefined) return joined.value;
  }
  const own: Promise<T> = work().finally(() => {
    if (flights.get(key) === own) flights.delete(key);
  });
  flights.set(key, own);
  return own;
}
