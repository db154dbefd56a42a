// SPDX-License-Identifier: Apache-2.0
/**
 * The chain catalogue as data, and one lazy line per family keyed by CAIP-2 namespace. No network I/O.
 * Used by every service that takes a chain id from outside or opens a client.
 *
 * @example
 * const network = findNetwork('eth-mainnet'); // eip155:1
 * const family = await findFamily('eip155');
 */
export { findNetwork, listNetworks, overrideNetworks } from './networks.ts';
export { findSharedNames, readNetwork, type NetworkFault, type ReadNetwork } from './read-networks.ts';
export { createUpgradeBook, type UpgradeBook } from './upgrade-book.ts';
export { normalizeChainGid } from './normalize-chain-gid.ts';
export {
  findFamily,
  findFamilyNamed,
  findNotation,
  findNotationNamed,
  listFamilies,
  loadFamilies,
} from './families.ts';
