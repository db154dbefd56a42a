// SPDX-License-Identifier: Apache-2.0
import {
  type ChainFamily,
  resolveAssetPath,
  type Network,
  InvalidAddressError,
  type ParsedAddress,
} from '@chainwatch/chain-core';
import { getAddress, isAddress } from 'viem/utils';
import { EvmClient } from './evm-client.ts';
import { evmManifest } from './manifest.ts';
import { probeNetwork } from './probe/probe-network.ts';
import { evmRpc } from './rpc/evm-rpc.ts';
import type { AssetGid } from '@chainwatch/common/caip';
import { readTraits } from './networks.ts';

const SHAPE = /^0[xX][0-9a-fA-F]{40}$/;

/**
 * Parses an EVM address. All lower and all upper case carry no checksum and pass; mixed case must be EIP-55.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  if (!SHAPE.test(input)) throw new InvalidAddressError(describeShape(input));
  const digits = input.slice(2);
  const canonical = `0x${digits.toLowerCase()}`;
  const display = getAddress(canonical);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && display.slice(2) !== digits) {
    throw new InvalidAddressError(`address checksum (EIP-55) is wrong: expected ${display}, got ${input}`);
  }
  return { canonical, display, format: 'evm' };
}

function describeShape(input: string): string {
  const expected = 'expected 0x and 40 hexadecimal digits';
  if (!/^0[xX]/.test(input)) return `address is not an EVM address: ${expected}, got no 0x prefix`;
  const wrong = /[^0-9a-f]/iu.exec(input.slice(2));
  if (wrong)
    return `address is not an EVM address: ${expected}, got ${JSON.stringify(wrong[0])} as character ${wrong.index + 3}`;
  return `address is not an EVM address: ${expected}, got ${input.length - 2} digits`;
}

/** Ethereum and every chain that speaks its JSON-RPC. */
export const evmFamily: ChainFamily = {
  ...evmManifest,
  parseAddress,
  // No root covers an address from a trace, so it may be any text.
  displayAddress: (address) => (isAddress(address, { strict: false }) ? getAddress(address) : address),
  burnAddresses: ['0x0000000000000000000000000000000000000000', '0x000000000000000000000000000000000000dead'],
  parseAssetPath,
  rpc: evmRpc,
  createClient: (options) => new EvmClient(options),
  probe: probeNetwork,
};

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:60`, `erc20:0x…`; on BSC `erc20:` means `bep20:`. The contract
 * by which the native coin is also a token means the native coin.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  const parse = (reference: string): string => parseAddress(reference).canonical;
  const gid = resolveAssetPath(network, assetPath, [
    { namespace: network.tokenNamespace, aliases: ['erc20'], reference: 'address', parse },
  ]);
  const { nativeTokenContract } = readTraits(network);
  return gid === `${network.gid}/${network.tokenNamespace}:${nativeTokenContract}`
    ? (network.native?.gid ?? gid)
    : gid;
}
