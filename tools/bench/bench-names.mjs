// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../../libs/host/src/setup-error.mjs';

/** In the order in which they run. */
export const BENCH_NAMES = /** @type {const} */ ([
  'watch-set',
  'bitcoin',
  'solana',
  'deliveries',
  'hd',
  'tron',
  'revocation',
  'retention',
  'pipeline',
  'history',
  'rpc',
  'latency',
  'round',
  'networks',
  'feel',
  'gateway',
  'import',
  'exports',
  'totals',
  'lists',
  'peers',
]);

/** @typedef {(typeof BENCH_NAMES)[number]} BenchName */

/** Peers install packages of their own, and the lists fill 20 GB of disk: these run only when named. */
const NAMED = ['peers', 'lists'];

/** @param {readonly string[]} args @returns {readonly BenchName[]} @throws {UsageError} */
export function parseBenchNames(args) {
  const unknown = args.filter((name) => !BENCH_NAMES.some((known) => known === name));
  if (unknown.length > 0)
    throw new UsageError(
      `expected ${BENCH_NAMES.join(', ')}, got ${unknown.map((name) => name || 'nothing').join(', ')}`,
    );
  return BENCH_NAMES.filter((name) => (args.length === 0 ? !NAMED.includes(name) : args.includes(name)));
}
