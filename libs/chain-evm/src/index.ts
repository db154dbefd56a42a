// SPDX-License-Identifier: Apache-2.0
/**
 * The EVM family: networks as data, addresses, and a client that proves every block complete before it decodes it.
 * Loaded by @chainwatch/chain-registry only.
 *
 * @example
 * const client = evmFamily.createClient({ network, endpointUrl: 'http://127.0.0.1:8545' });
 * const block = await client.readBlock(await client.readHead());
 */
export { evmFamily } from './evm-family.ts';
