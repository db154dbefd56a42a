// SPDX-License-Identifier: Apache-2.0
/** The highest non-hardened index (BIP-32). */
export const INDEX_MAX = 2 ** 31 - 1;
/** Addresses that one call generates or returns (decisions.md §3). */
export const ADDRESSES_PER_CALL_MAX = 1_000;
