// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../../libs/testing/src/host/setup-error.mjs';

/** In the order in which they run, and how each measures. */
export const BENCHES = /** @type {const} */ ({
  deliveries:
    'Events are committed, notifiers deliver them to a receiver, and each attempt is on record. Floor: a bare loop that posts the same bytes.',
  pipeline:
    'Generated blocks of 200 and 1,500 transactions are replayed, analysed, and their events written. Floor: reading and parsing the same blocks.',
  history: 'The past of one address is found, proved, and stored, from a node that replays generated blocks.',
  rpc: 'Calls go through the gateway on one core, in turns with nginx and a bare Node proxy, beside nodes that fail and keys that are greedy.',
  latency:
    'Blocks come one by one, from anvil and from a replay of generated ones; the time counts until a webhook has arrived. Floor: a subscriber that reads the block and posts.',
  round: 'All balances are read again beside a head that moves.',
  networks:
    'Chains of 200 ms, generated (those of Solana from recorded transactions), are replayed for minutes: the lag may not grow.',
  import: 'A million addresses are imported through the API beside a key that asks politely.',
  exports: 'Addresses and transactions are streamed as NDJSON and CSV; memory is that of the gateway.',
  lists:
    'Lists are read from ten million transactions at 50 requests a second. The database fills 20 GB of disk: name this bench to run it.',
});

/** @typedef {keyof typeof BENCHES} BenchName */

export const BENCH_NAMES = /** @type {readonly BenchName[]} */ (Object.keys(BENCHES));

/** Those that run only when they are named. */
const NAMED = ['lists'];

/** @param {readonly string[]} args @returns {readonly BenchName[]} @throws {UsageError} */
export function parseBenchNames(args) {
  const unknown = args.filter((name) => !BENCH_NAMES.some((known) => known === name));
  if (unknown.length > 0)
    throw new UsageError(
      `expected ${BENCH_NAMES.join(', ')}, got ${unknown.map((name) => name || 'nothing').join(', ')}`,
    );
  return BENCH_NAMES.filter((name) => (args.length === 0 ? !NAMED.includes(name) : args.includes(name)));
}
