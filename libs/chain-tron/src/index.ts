// SPDX-License-Identifier: Apache-2.0
/**
 * The TRON family: networks as data, addresses, assets, and a client that proves blocks as far as the chain
 * allows before it decodes them. Loaded by @chainwatch/chain-registry only.
 *
 * @example
 * const client = tronFamily.createClient({ network, endpointUrl: 'http://127.0.0.1:8090', otherUrls: { evm: 'http://127.0.0.1:8545/jsonrpc' } });
 * const block = await client.readBlock(await client.readHead());
 */
export { tronFamily } from './tron-family.ts';
