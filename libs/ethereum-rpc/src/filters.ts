import type { RpcFilters } from '@chainwatch/chain-core';

/** As geth and java-tron say it. */
export const UNKNOWN_FILTER = '"error":{"code":-32000,"message":"filter not found"}';

/** Filters are made by `eth_new…`. */
export const ETHEREUM_FILTERS = {
  makes: /^eth_new/,
  ends: 'eth_uninstallFilter',
} as const satisfies Omit<RpcFilters, 'unknownAnswer'>;
