// SPDX-License-Identifier: Apache-2.0
import {
  type ChainFamily,
  InvalidAddressError,
  resolveAssetPath,
  type Network,
  checkBase58Text,
  type ParsedAddress,
} from '@chainwatch/chain-core';
import { tronManifest } from './manifest.ts';
import { countBalanceRequests } from './read-balances.ts';
import { TronClient } from './tron-client.ts';
import { tronRpc } from './rpc/tron-rpc.ts';
import type { AssetGid } from '@chainwatch/common/caip';
import { isAssetId } from './token-gid.ts';
import { utils } from 'tronweb';

const VERSION = 0x41;
const BASE58_LENGTH = 34;
const BYTES = 21;

/**
 * Parses a TRON address: Base58Check (`T…`, canonical), hexadecimal as nodes write it (`41` and 40 digits), or as its
 * Ethereum-compatible API does (`0x` and 40 digits, in mixed case with EIP-55's checksum).
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  const canonical = isHexadecimal(input)
    ? utils.address.fromHex(`41${readDigits(input)}`)
    : checkBase58(input);
  return { canonical, display: canonical, format: 'tron' };
}

/** Whether the text is meant as hexadecimal, right or wrong. */
function isHexadecimal(input: string): boolean {
  if (/^0x/i.test(input)) return true;
  return input.length > BASE58_LENGTH && /^(?:41|[0-9a-f]*$)/i.test(input);
}

function readDigits(input: string): string {
  const prefix = /^0x/i.test(input) ? '0x' : '41';
  const wrong = /[^0-9a-f]/iu.exec(input.slice(2));
  if (wrong) {
    throw new InvalidAddressError(
      `address has an illegal character: expected ${prefix} and 40 hexadecimal digits, got ${JSON.stringify(wrong[0])} as character ${wrong.index + 3}`,
    );
  }
  if (input.length !== 42) {
    const digits = input.length - 2;
    throw new InvalidAddressError(
      `address has a wrong length: expected ${prefix} and 40 hexadecimal digits, got ${digits} after the first two characters`,
    );
  }
  if (prefix === '0x') checkCase(input.slice(2));
  else if (!input.startsWith('41')) throw otherNetwork(input.slice(0, 2).toLowerCase());
  return input.slice(2).toLowerCase();
}

/** EIP-55. */
function checkCase(digits: string): void {
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return;
  // tronweb's checksum is the same over the same 20 bytes, written after 41.
  const expected = utils.address.toChecksumAddress(`41${digits.toLowerCase()}`).slice(2);
  if (expected !== digits)
    throw new InvalidAddressError(
      `address checksum (EIP-55) is wrong: expected 0x${expected}, got 0x${digits}`,
    );
}

function checkBase58(input: string): string {
  checkBase58Text(input, [BASE58_LENGTH, BASE58_LENGTH], 'Base58Check');
  const bytes = decodeBase58(input);
  if (bytes === undefined || bytes.length !== BYTES)
    throw new InvalidAddressError(
      `address checksum (Base58Check) is wrong: expected that of ${BYTES} bytes, got another: a character is wrong, missing or too many`,
    );
  if (bytes[0] !== VERSION) throw otherNetwork(bytes[0]!.toString(16).padStart(2, '0'));
  return input;
}

/** Undefined where the checksum does not match. */
function decodeBase58(input: string): readonly number[] | undefined {
  try {
    return utils.crypto.decodeBase58Address(input) || undefined;
  } catch {
    return undefined;
  }
}

function otherNetwork(version: string): InvalidAddressError {
  return new InvalidAddressError(
    `address is of another network: expected the version byte 0x41 (TRON), got 0x${version}`,
  );
}

/** TRON, by java-tron's wallet API, its Ethereum-compatible interface, or both. */
export const tronFamily: ChainFamily = {
  ...tronManifest,
  parseAddress,
  // The zero address, and the account that TRON itself calls the black hole.
  burnAddresses: ['T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  parseAssetPath,
  countBalanceRequests,
  tellsHeadOnly: true,
  rpc: tronRpc,
  createClient: (options) => new TronClient(options),
};

/**
 * Canonical CAIP-19 gid of `assetPath` on `network`: `slip44:195`, `trc20:T…` (any accepted form of the address),
 * `trc10:<id>`.
 * @throws InvalidAssetError
 */
export function parseAssetPath(network: Network, assetPath: string): AssetGid {
  return resolveAssetPath(network, assetPath, [
    { namespace: 'trc20', reference: 'address', parse: (reference) => parseAddress(reference).canonical },
    { namespace: 'trc10', reference: 'id', parse: checkTokenId },
  ]);
}

function checkTokenId(reference: string): string {
  if (isAssetId(reference)) return reference;
  throw new InvalidAddressError(
    `expected a token id of 7 to 19 digits, got ${JSON.stringify(reference.slice(0, 40))}`,
  );
}
