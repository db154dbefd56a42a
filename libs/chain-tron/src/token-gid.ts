// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';
import type { ContractNotation } from '@chainwatch/ethereum/abi';
import { toAddress } from './to-address.ts';

/** CAIP-19 of a TRC-20 contract's token by its 20 bytes as `0x` and 40 digits. */
function tokenGid(network: Network, address: string): string {
  return `${network.gid}/trc20:${toAddress(address.slice(2).toLowerCase())}`;
}

/** CAIP-19 of a TRC-10 token; undefined for what is no id (blocks of 2018 call tokens by name). */
export function findAssetGid(network: Network, id: string): string | undefined {
  return isAssetId(id) ? `${network.gid}/trc10:${id}` : undefined;
}

/** Ids count up from 1000001. */
export function isAssetId(text: string): boolean {
  return /^[1-9]\d{6,18}$/.test(text);
}

/** WTRX, which wraps TRX, by network. */
const WRAPPERS: Readonly<Record<string, string>> = {
  'tron:0x2b6653dc': '0x891cdb91d149f23b1a45d9c5ca78a88d0cb44c18',
};

/** How logs are read on `network`. */
export function notationOf(network: Network): ContractNotation {
  return {
    tokenGid: (address) => tokenGid(network, address),
    account: (address) => toAddress(address.slice(2)),
    wrapper: WRAPPERS[network.gid],
  };
}
