/** The highest index that is not hardened (BIP-32). */
export const indexMax = 2 ** 31 - 1;
/** Addresses that one call generates or returns (decisions.md §3). */
export const addressesPerCallMax = 1_000;
