// SPDX-License-Identifier: Apache-2.0
import { statSync } from 'node:fs';

/**
 * Crashes, lies, and oracles of the whole service first: where TEST_UNTIL ends a run, they were run. Then what takes long:
 * none of it may be left for the end, when the other workers have nothing to do.
 */
const ORDER = [
  '/tools/acceptance/src/.*/(crash|misbehavior|oracle)',
  '/apps/tx-analyzer/',
  '/libs/ingestor/',
  '/apps/',
  '/tools/devnet/',
  '/libs/data/src/bus/',
  '/(libs|tools/(?!acceptance/|stack/))',
  '/tools/(acceptance|stack)/',
].map((pattern) => new RegExp(pattern));

/** The order of a whole run: as listed, then by size, as Jest itself would do it without a memory of earlier runs. */
export default class LongestFirst {
  /** @param {{ path: string }[]} tests */
  sort(tests) {
    return tests
      .map((test) => ({
        test,
        rank: ORDER.findIndex((pattern) => pattern.test(test.path)),
        size: statSync(test.path).size,
      }))
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
