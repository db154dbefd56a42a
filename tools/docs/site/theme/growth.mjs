// SPDX-License-Identifier: Apache-2.0
/**
 * What PostgreSQL grows by. `docs/guides/growth.md` shows the examples, its calculator counts with the same functions, and
 * `growth.spec.ts` holds both against `docs/guides/sizing.md` and the networks of the release.
 */

/** Bytes a row with all indexes, as docs/guides/sizing.md has them; a transaction with its transfers. */
export const BYTES = {
  transaction: 2_500,
  event: 1_600,
  /** What is kept of an event for ever. */
  event_key: 98,
  delivery: 2_200,
  /** In a delivery: of an EVM chain, the largest. */
  proof: 6_400,
  address: 1_207,
  address_watch: 183,
  balance: 378,
  balance_history: 650,
  /** A block that concerns an address. */
  block: 750,
  /** A block that concerns none, packed. */
  packed_block: 47,
};

/**
 * Seconds a block, as networks.json of the chain families have them.
 * @type {Readonly<Record<string, number>>}
 */
export const BLOCK_SECONDS = {
  ethereum: 12,
  bsc: 0.45,
  polygon: 2,
  arbitrum: 0.25,
  optimism: 2,
  base: 0.2,
  avalanche: 1,
  bitcoin: 600,
  tron: 3,
  solana: 0.2,
};

const YEAR_SECONDS = 365 * 86_400;
const DAY_SECONDS = 86_400;

/**
 * @typedef {object} Use
 * @property {number} addresses that are added in a year
 * @property {number} deposits a second, on average over the year
 * @property {number} assets that an address holds
 * @property {number} channels that each event goes to
 * @property {number} proved of these, with `include_proof: "inline"`
 * @property {number} days that events and deliveries are kept (RETENTION_EVENTS, RETENTION_DELIVERIES)
 * @property {readonly string[]} chains by name, of BLOCK_SECONDS
 */

/** @type {Readonly<Record<string, Use>>} */
export const EXAMPLES = {
  'A shop': {
    ...{ addresses: 50_000, deposits: 0.02, assets: 1, channels: 1, proved: 0, days: 30 },
    chains: ['ethereum', 'base', 'bitcoin', 'tron'],
  },
  'A payment company': {
    ...{ addresses: 5_000_000, deposits: 5, assets: 1, channels: 2, proved: 1, days: 30 },
    chains: ['ethereum', 'bsc', 'polygon', 'arbitrum', 'base', 'bitcoin', 'tron', 'solana'],
  },
  'An exchange': {
    ...{ addresses: 10_000_000, deposits: 30, assets: 2, channels: 1, proved: 0, days: 30 },
    chains: Object.keys(BLOCK_SECONDS),
  },
  'A wallet': {
    ...{ addresses: 20_000_000, deposits: 100, assets: 4, channels: 1, proved: 0, days: 30 },
    chains: Object.keys(BLOCK_SECONDS),
  },
};

/**
 * Bytes after a year, by what they are for. What stays for ever grows by as much in the next year; the rest stays as it is.
 * A deposit is a transaction with two events and one change of a balance.
 * @param {Use} use
 */
export function growthOf({ addresses, deposits, assets, channels, proved, days, chains }) {
  const perYear = deposits * YEAR_SECONDS;
  const blocks = chains.reduce((sum, name) => sum + YEAR_SECONDS / (BLOCK_SECONDS[name] ?? 1), 0);
  const kept = deposits * days * DAY_SECONDS * 2;
  const forEver = {
    transactions: perYear * (BYTES.transaction + BYTES.balance_history + 2 * BYTES.event_key),
    addresses: addresses * (BYTES.address + BYTES.address_watch * chains.length + BYTES.balance * assets),
    blocks: blocks * BYTES.packed_block + Math.min(perYear, blocks) * BYTES.block,
  };
  const keptForDays = {
    events: kept * BYTES.event,
    deliveries: kept * (channels * BYTES.delivery + Math.min(proved, channels) * BYTES.proof),
  };
  const sum = (/** @type {Record<string, number>} */ parts) =>
    Object.values(parts).reduce((total, bytes) => total + bytes, 0);
  return { ...forEver, ...keptForDays, growth: sum(forEver), total: sum(forEver) + sum(keptForDays) };
}

/** @param {number} bytes */
export function sayBytes(bytes) {
  const gigabytes = bytes / 1e9;
  if (gigabytes >= 1_000) return `${(gigabytes / 1_000).toFixed(1)} TB`;
  return `${gigabytes >= 10 ? Math.round(gigabytes) : gigabytes.toFixed(1)} GB`;
}
