import { statSync } from 'node:fs';

/** What takes long, longest first: none of it may be left for the end, when the other workers have nothing to do. */
const LONG = [
  '/tools/acceptance/src/.*/crash',
  '/tools/acceptance/src/.*/misbehaviour',
  '/tools/acceptance/src/.*/oracle',
  '/tools/acceptance/',
  '/tools/stack/stack',
  '/apps/tx-analyzer/',
  '/libs/ingestor/',
  '/apps/',
  '/tools/devnet/',
  '/libs/bus/',
].map((pattern) => new RegExp(pattern));

/** The order of a whole run: the long ones as listed, then by size, as Jest itself would do it without a memory of earlier runs. */
export default class LongestFirst {
  /** @param {{ path: string }[]} tests */
  sort(tests) {
    const rankOf = (/** @type {string} */ path) => {
      const rank = LONG.findIndex((pattern) => pattern.test(path));
      return rank === -1 ? LONG.length : rank;
    };
    return tests
      .map((test) => ({ test, rank: rankOf(test.path), size: statSync(test.path).size }))
      .sort((one, other) => one.rank - other.rank || other.size - one.size)
      .map(({ test }) => test);
  }

  /** The rest of what Jest asks a sequencer: nothing is remembered of earlier runs. */
  cacheResults() {}
  allFailedTests() {
    return [];
  }
  /** @param {unknown[]} tests */
  shard(tests) {
    return tests;
  }
}
