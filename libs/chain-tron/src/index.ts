/**
 * The TRON family: networks as data, addresses and assets. Loaded by @chainwatch/chain-registry only.
 *
 * @example
 * tronFamily.parseAddress('41a614f803b6fd780986a42c78ec9c7f77e6ded13c').canonical; // TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t
 */
export { tronFamily } from './tron-family.ts';
