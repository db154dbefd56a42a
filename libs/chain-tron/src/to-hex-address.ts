import { parseBase58Check } from '@chainwatch/chain-core';

/** `41` and 40 digits of a canonical address, as the wallet API takes it. */
export function toHexAddress(address: string): string {
  return Buffer.from(parseBase58Check(address, { bytes: 21, characters: [34, 34] })).toString('hex');
}

/** `0x` and 40 digits of a canonical address, as the Ethereum-compatible interface takes it. */
export function toEvmAddress(address: string): string {
  return `0x${toHexAddress(address).slice(2)}`;
}
