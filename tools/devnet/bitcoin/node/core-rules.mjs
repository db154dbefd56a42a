// SPDX-License-Identifier: Apache-2.0
import { Script, networks, thresholdStates } from './bcoin.mjs';

const ALWAYS_ACTIVE = new Set(['csv', 'segwit']);

/** Bitcoin Core's regtest has every soft fork from the first block on, and other addresses; the genesis is the same. Before the node is made. */
export function applyCoreRegtest() {
  Object.assign(networks.regtest.block, { bip34height: 1, bip65height: 1, bip66height: 1 });
  Object.assign(networks.regtest.addressPrefix, { pubkeyhash: 0x6f, scripthash: 0xc4, bech32: 'bcrt' });
  // Taproot is younger than bcoin: by its rules a witness program of version 1 is anyone's, and relayed only without this flag.
  Script.flags.STANDARD_VERIFY_FLAGS &= ~Script.flags.VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM;
}

/** bcoin counts votes for 432 blocks. Before the node is opened. */
export function activateSoftForks({ chain }) {
  const getState = chain.getState.bind(chain);
  chain.getState = async (previous, deployment) =>
    ALWAYS_ACTIVE.has(deployment.name) ? thresholdStates.ACTIVE : getState(previous, deployment);
}
