/**
 * The Solana family: networks as data, addresses and assets. Loaded by @chainwatch/chain-registry only.
 *
 * @example
 * solanaFamily.parseAddress('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v').canonical;
 */
export { solanaFamily } from './solana-family.ts';
