// SPDX-License-Identifier: Apache-2.0
/**
 * Who asks: API keys by their hash, from the database through a small cache that hears of revocations.
 * Used by api-gateway and rpc-proxy.
 *
 * @example
 * const keys = createKeyStore({ db });
 * bus.subscribe('key.revoked', [], ({ payload }) => keys.revoke(payload.key_hash, payload.ends_at === undefined ? 0 : Date.parse(payload.ends_at)));
 * const principal = await keys.findPrincipal(key);
 */
export { createKeyStore, type KeyStore } from './create-key-store.ts';
export type { PortalScope, Principal } from './principal.ts';
