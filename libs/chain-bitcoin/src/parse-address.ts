import { address as library } from 'bitcoinjs-lib';
import { checkBase58Text, InvalidAddressError } from '@chainwatch/chain-core';
import type { ParsedAddress } from '@chainwatch/chain-core';
import { base58Versions, segwitPrefixes } from './address-prefixes.ts';
import { parseSegwitAddress } from './segwit-address.ts';
import type { WitnessProgram } from './segwit-address.ts';

const segwitShape = new RegExp(`^(${[...segwitPrefixes.keys()].join('|')})1`, 'i');
const prefixes = listWords([...segwitPrefixes.keys()].map((prefix) => `${prefix}1`));

/** Coins whose addresses come here by mistake, by human-readable part and by version byte. */
const FOREIGN_PREFIXES: Readonly<Record<string, string>> = {
  ltc: 'Litecoin',
  tltc: 'Litecoin Testnet',
  dgb: 'DigiByte',
  vtc: 'Vertcoin',
  grs: 'Groestlcoin',
};
const FOREIGN_VERSIONS: Readonly<Record<number, string>> = {
  0x10: 'Dash',
  0x16: 'Dogecoin',
  0x1e: 'Dogecoin',
  0x30: 'Litecoin',
  0x32: 'Litecoin',
  0x3a: 'Litecoin Testnet',
  0x41: 'TRON',
  0x4c: 'Dash',
};

/**
 * Parses an address of any Bitcoin network: Base58Check, Bech32 (BIP-173) and Bech32m (BIP-350). Segwit addresses are
 * canonical in lower case. Messages never hold the input, which may be a private key in the wrong field.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  const prefix = segwitShape.exec(input)?.[1]?.toLowerCase();
  return prefix === undefined ? parseLegacy(input) : parseSegwit(input, prefix);
}

function parseSegwit(input: string, prefix: string): ParsedAddress {
  const canonical = input.toLowerCase();
  const format = formatOf(parseSegwitAddress(input, prefix));
  return { canonical, display: canonical, format, networkGids: segwitPrefixes.get(prefix) };
}

function formatOf({ version, program }: WitnessProgram): string {
  if (version === 0) return program.length === 20 ? 'p2wpkh' : 'p2wsh';
  return version === 1 && program.length === 32 ? 'p2tr' : 'witness_unknown';
}

function parseLegacy(input: string): ParsedAddress {
  checkPrefix(input);
  const version = readVersion(input);
  const known = base58Versions.get(version);
  if (known) return { canonical: input, display: input, ...known };
  const expected = listWords([...base58Versions.keys()].map(toHex));
  throw new InvalidAddressError(
    `address is of another network: expected the version byte ${expected}, got ${toHex(version)}${nameOf(FOREIGN_VERSIONS[version])}`,
  );
}

function readVersion(input: string): number {
  checkBase58Text(input, [26, 35], 'Base58Check');
  try {
    return library.fromBase58Check(input).version;
  } catch {
    // The library's message may hold the input.
    throw new InvalidAddressError(
      'address checksum (Base58Check) is wrong: expected that of 21 bytes, got another: a character is wrong, missing or too many',
    );
  }
}

/** Names the other coin when the prefix is of one, whether the checksum is right or wrong. */
function checkPrefix(input: string): void {
  const prefix =
    findPrefix(input) ??
    /^(?:([a-z]{2,})1[a-z\d]{6,}|([A-Z]{2,})1[A-Z\d]{6,})$/.exec(input)?.slice(1).join('').toLowerCase();
  if (prefix === undefined) return;
  const name = Object.hasOwn(FOREIGN_PREFIXES, prefix) ? FOREIGN_PREFIXES[prefix] : undefined;
  throw new InvalidAddressError(
    `address is of another network: expected the prefix ${prefixes}, got ${JSON.stringify(`${prefix}1`)}${nameOf(name)}`,
  );
}

function findPrefix(input: string): string | undefined {
  try {
    return library.fromBech32(input).prefix;
  } catch {
    return undefined;
  }
}

function nameOf(network: string | undefined): string {
  return network === undefined ? '' : ` (${network})`;
}

function toHex(byte: number): string {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}

function listWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
