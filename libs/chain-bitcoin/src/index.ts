// SPDX-License-Identifier: Apache-2.0
/**
 * The Bitcoin family: networks as data, addresses and scripts, HD derivation, and a client that proves every block
 * complete before it decodes it. Loaded by @chainwatch/chain-registry only.
 *
 * @example
 * const client = bitcoinFamily.createClient({ network, endpointUrl: 'http://user:password@127.0.0.1:8332' });
 * const block = await client.readBlock(await client.readHead());
 */
export { bitcoinFamily } from './bitcoin-family.ts';
