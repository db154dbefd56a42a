// SPDX-License-Identifier: Apache-2.0
/**
 * The Solana family: networks as data, addresses and assets, and a client that proves every block as far as the chain
 * allows before it decodes it. Loaded by @chainwatch/chain-registry only.
 *
 * @example
 * const client = solanaFamily.createClient({ network, endpointUrl: 'http://127.0.0.1:8899' });
 * const block = await client.readBlock(await client.readHead());
 */
export { solanaFamily } from './solana-family.ts';
