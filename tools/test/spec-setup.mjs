import { addEventHandler } from 'jest-circus';
import { register } from 'tsx/esm/api';

/** Conditions are waited for up to a minute each, so that a slow machine fails nothing. */
const LIMIT_MS = 300_000;

// Of this process alone: services that a spec starts run as in production.
register();

/** Finds what hangs: the runner waits for ever. What a spec allows a test in milliseconds, as its last argument, holds. */
addEventHandler((event, { currentDescribeBlock }) => {
  const added = findAdded(event.name, currentDescribeBlock);
  if (added === undefined || added.fn.length > 0) return;
  const run = added.fn;
  added.fn = () => within(event.timeout ?? LIMIT_MS, run);
});

/** @param {string} name @param {{ children: unknown[], hooks: unknown[] }} block */
function findAdded(name, block) {
  const list = name === 'add_test' ? block.children : name === 'add_hook' ? block.hooks : [];
  const added = /** @type {{ fn?: (...args: unknown[]) => unknown } | undefined} */ (list.at(-1));
  return added?.fn === undefined ? undefined : /** @type {Required<typeof added>} */ (added);
}

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
