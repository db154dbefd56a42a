import { InvalidAddressError } from '@chainwatch/chain-core';
import type { Network } from '@chainwatch/chain-core';
import { base58Versions } from './address-prefixes.ts';
import { encodeBase58Address, readBase58Payload } from './base58-address.ts';
import { readTraits } from './networks.ts';
import { codecOf } from './segwit-address.ts';
import { readSegwitScript } from './segwit-script.ts';

const OP_1 = 0x51;

/**
 * Hex of the script that pays to a canonical address. Checksums are not checked again: this runs once for each watched
 * address when a set of millions is loaded.
 * @throws InvalidAddressError when it is no address at all
 */
export function matchKeyOf(address: string): string {
  try {
    return address.startsWith('bc') || address.startsWith('tb')
      ? readSegwitScript(address)
      : keyOfBase58(address);
  } catch (error) {
    throw new InvalidAddressError('expected a canonical Bitcoin address, got another text', { cause: error });
  }
}

/** Canonical address of a script on `network`; undefined for scripts without one. */
export function findAddress(network: Network, matchKey: string): string | undefined {
  const { base58, bech32Hrp } = readTraits(network);
  if (matchKey.length === 50 && matchKey.startsWith('76a914') && matchKey.endsWith('88ac'))
    return toBase58(base58.p2pkh, matchKey.slice(6, 46));
  if (matchKey.length === 46 && matchKey.startsWith('a914') && matchKey.endsWith('87'))
    return toBase58(base58.p2sh, matchKey.slice(4, 44));
  return toSegwit(bech32Hrp, matchKey);
}

function keyOfBase58(address: string): string {
  const { version, hash } = readBase58Payload(address);
  const hex = Buffer.from(hash).toString('hex');
  const format = base58Versions.get(version)?.format;
  if (format === undefined || hash.length !== 20) throw new Error(`version ${version}, ${hash.length} bytes`);
  return format === 'p2pkh' ? `76a914${hex}88ac` : `a914${hex}87`;
}

function toBase58(version: number, hashHex: string): string {
  return encodeBase58Address({ version, hash: Buffer.from(hashHex, 'hex') });
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
  const codec = codecOf(version);
  return codec.encode(hrp, [version, ...codec.toWords(Buffer.from(matchKey, 'hex').subarray(2))]);
}
