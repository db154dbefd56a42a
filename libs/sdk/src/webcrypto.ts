// SPDX-License-Identifier: Apache-2.0
/** Web Crypto, as browsers, edge runtimes, Deno and Bun have it. */
export const webcrypto = globalThis.crypto;
