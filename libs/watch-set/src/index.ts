// SPDX-License-Identifier: Apache-2.0
/**
 * The in-memory set of watched addresses that every transfer of every block is checked against. Used by the analyzer.
 *
 * @example
 * const watched = WatchSet.withCapacity(10_000_000);
 * watched.add('0xab16a96d359ec26a11e2c2b3d8f8b8942d5bfcdb');
 * const hits = transfers.filter(({ to }) => to !== undefined && watched.has(to));
 */
export { fingerprintOf, WatchSet } from './watch-set.ts';
