// SPDX-License-Identifier: Apache-2.0
import type { RpcFilters, RpcSubscriptions } from '@chainwatch/chain-core';

const NUMBER = /^"0x[0-9a-f]{1,13}"$/i;

export const ethereumSubscriptions: RpcSubscriptions = {
  methods: /^eth_(un)?subscribe$/,
  idType: 'quantity',
  // As geth says it.
  unknownError: [-32000, 'subscription not found'],
  // A header's, or a log's.
  readNotifiedHead: (findMember) => {
    const text = findMember('number') ?? findMember('blockNumber');
    return text !== undefined && NUMBER.test(text) ? Number(text.slice(1, -1)) : undefined;
  },
};

/** As geth and java-tron say it. */
export const UNKNOWN_FILTER = '"error":{"code":-32000,"message":"filter not found"}';

/** Filters are made by `eth_new…`. */
export const ETHEREUM_FILTERS = {
  makes: /^eth_new/,
  ends: 'eth_uninstallFilter',
} as const satisfies Omit<RpcFilters, 'unknownAnswer'>;
