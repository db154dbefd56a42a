// SPDX-License-Identifier: Apache-2.0
import { utils } from 'tronweb';

/** `41` and 40 digits of a canonical address, as the wallet API takes it. */
export function toHexAddress(address: string): string {
  return utils.address.toHex(address);
}

/** `0x` and 40 digits of a canonical address, as the Ethereum-compatible interface takes it. */
export function toEvmAddress(address: string): string {
  return `0x${toHexAddress(address).slice(2)}`;
}
