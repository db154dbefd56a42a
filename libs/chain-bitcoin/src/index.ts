/**
 * The Bitcoin family: networks as data, addresses and scripts, HD derivation, and a client that proves every block
 * complete before it decodes it. Loaded by @chainwatch/chain-registry only.
 */
export { bitcoinNetworks, readTraits } from './networks.ts';
export { hdDerivation } from './hd/hd-derivation.ts';
