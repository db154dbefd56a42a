// SPDX-License-Identifier: Apache-2.0
import { address as library } from 'bitcoinjs-lib';
import { InvalidAddressError } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { base58Readers, segwitPrefixes } from './address-prefixes.ts';
import type { Base58Format } from './address-prefixes.ts';
import { decodeCashAddress, encodeCashAddress } from './cash-address.ts';
import type { CashAddress } from './cash-address.ts';
import { bitcoinCatalogue, readTraits } from './networks.ts';

const OP_1 = 0x51;
/** Outputs that pay into the extension block, and its own balance (LIP-2): nobody can be paid there. */
const MWEB_SCRIPT = /^5[89]20[0-9a-f]{64}$/;
const segwitShape = bitcoinCatalogue.derive(
  () => new RegExp(`^(?:${[...segwitPrefixes().keys()].join('|')})1`),
);

/**
 * Hex of the script that pays to a canonical address. bitcoinjs-lib checks the checksum, but does not build
 * the script: it refuses programs that it does not know (P2A, BIP-433) and taproot keys that are not on the
 * curve, which are paid all the same; and it takes 50 to 240 µs, while a watch set of millions is loaded
 * through here.
 * @throws InvalidAddressError when it is no address at all
 */
export function matchKeyOf(address: string): string {
  try {
    if (segwitShape().test(address)) return keyOfSegwit(address);
    const colon = address.indexOf(':');
    return colon < 0
      ? keyOfBase58(address)
      : keyOfCash(decodeCashAddress(address.slice(0, colon), address.slice(colon + 1)));
  } catch (error) {
    throw new InvalidAddressError('expected a canonical address of this family, got another text', {
      cause: error,
    });
  }
}

/** Canonical address of a script on `network`; undefined for scripts without one. */
export function findAddress(network: Network, matchKey: string): string | undefined {
  const { base58, bech32Hrp, cashAddrPrefix, mweb } = readTraits(network);
  if (matchKey.length === 50 && matchKey.startsWith('76a914') && matchKey.endsWith('88ac'))
    return write('p2pkh', matchKey.slice(6, 46), { version: base58.p2pkh, cashAddrPrefix });
  if (matchKey.length === 46 && matchKey.startsWith('a914') && matchKey.endsWith('87'))
    return write('p2sh', matchKey.slice(4, 44), { version: base58.p2sh, cashAddrPrefix });
  if (cashAddrPrefix !== undefined && /^aa20[0-9a-f]{64}87$/.test(matchKey))
    return write('p2sh', matchKey.slice(4, 68), { version: base58.p2sh, cashAddrPrefix });
  if (bech32Hrp === undefined || (mweb !== undefined && MWEB_SCRIPT.test(matchKey))) return undefined;
  return toSegwit(bech32Hrp, matchKey);
}

/** Hex of the script that pays to a hash of 20 bytes. */
export function toScript(format: Base58Format, hash: Uint8Array): string {
  const hex = Buffer.from(hash).toString('hex');
  return format === 'p2pkh' ? `76a914${hex}88ac` : `a914${hex}87`;
}

/** @throws Error for types and lengths that no script is known for */
export function keyOfCash({ type, hash }: CashAddress): string {
  const isScript = (type & 1) === 1;
  if (type <= 3 && hash.length === 20) return toScript(isScript ? 'p2sh' : 'p2pkh', hash);
  // P2SH32: OP_HASH256 in place of OP_HASH160.
  if (type <= 3 && isScript && hash.length === 32) return `aa20${hash.toString('hex')}87`;
  throw new Error(`type ${type}, ${hash.length} bytes`);
}

function write(
  format: Base58Format,
  hex: string,
  { version, cashAddrPrefix }: { readonly version: number; readonly cashAddrPrefix: string | undefined },
): string {
  const hash = Buffer.from(hex, 'hex');
  return cashAddrPrefix === undefined
    ? library.toBase58Check(hash, version)
    : encodeCashAddress(cashAddrPrefix, { type: format === 'p2pkh' ? 0 : 1, hash });
}

function keyOfSegwit(address: string): string {
  const { version, data } = library.fromBech32(address);
  if (version > 16 || data.length < 2 || data.length > 40)
    throw new Error(`version ${version}, ${data.length} bytes`);
  const opcode = version === 0 ? 0 : OP_1 + version - 1;
  return Buffer.of(opcode, data.length, ...data).toString('hex');
}

function keyOfBase58(address: string): string {
  const { version, hash } = library.fromBase58Check(address);
  const reader = base58Readers().get(version)?.[0];
  if (reader === undefined) throw new Error(`version ${version}`);
  return toScript(reader.format, hash);
}

/** A version opcode and one push of 2 to 40 bytes (BIP-141). */
function toSegwit(hrp: string, matchKey: string): string | undefined {
  const bytes = matchKey.length / 2 - 2;
  if (bytes < 2 || bytes > 40) return undefined;
  const opcode = parseInt(matchKey.slice(0, 2), 16);
  if (parseInt(matchKey.slice(2, 4), 16) !== bytes) return undefined;
  const version = opcode === 0 ? 0 : opcode - OP_1 + 1;
  if (version < 0 || version > 16 || (opcode !== 0 && version === 0)) return undefined;
  if (version === 0 && bytes !== 20 && bytes !== 32) return undefined;
  return library.toBech32(Buffer.from(matchKey.slice(4), 'hex'), version, hrp);
}
