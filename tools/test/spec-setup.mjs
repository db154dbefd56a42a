// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { addEventHandler } from 'jest-circus';
import { register } from 'tsx/esm/api';

/** Conditions are waited for up to four minutes each: machines that run this were four times slower than others. */
const LIMIT_MS = 1_200_000;

// What a property that fails expected and got: Jest prints no cause of an error.
fc.configureGlobal({ ...fc.readConfigureGlobal(), includeErrorInReport: true });

// Of this process alone: services that a spec starts run as in production.
register();

/**
 * Finds what hangs: the runner waits for ever. A spec may allow a test more milliseconds, as its last argument, and never
 * less: a limit that a busy machine meets says nothing of the product.
 */
addEventHandler((event, { currentDescribeBlock }) => {
  if (event.name !== 'add_test' && event.name !== 'add_hook') return;
  const { children, hooks } = currentDescribeBlock;
  const added = /** @type {{ fn: () => unknown } | undefined} */ (
    (event.name === 'add_test' ? children : hooks).at(-1)
  );
  if (added === undefined) return;
  const run = added.fn;
  added.fn = () => within(Math.max(event.timeout ?? 0, LIMIT_MS), run);
});

/** @param {number} limitMs @param {() => unknown} run */
async function within(limitMs, run) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const limit = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It took longer than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([run(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
