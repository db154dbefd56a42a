// SPDX-License-Identifier: Apache-2.0
import { checkBase58Text, InvalidAddressError } from '@chainwatch/chain-core';
import type { ParsedAddress } from '@chainwatch/chain-core';
import { address as library } from 'bitcoinjs-lib';
import { base58Readers, cashPrefixes, mwebPrefixes, segwitPrefixes } from './address-prefixes.ts';
import { CASH_SHAPE, decodeCashAddress, encodeCashAddress } from './cash-address.ts';
import { findForeignPrefix, findForeignVersion } from './foreign-coins.ts';
import { keyOfCash, findAddress, toScript } from './script-address.ts';
import { bitcoinCatalogue } from './networks.ts';
import { parseSegwitAddress } from './segwit-address.ts';
import type { WitnessProgram } from './segwit-address.ts';

const segwitShape = bitcoinCatalogue.derive(
  () => new RegExp(`^(${[...segwitPrefixes().keys()].join('|')})1`, 'i'),
);
const mwebShape = bitcoinCatalogue.derive(
  () => new RegExp(`^(${[...mwebPrefixes().keys()].join('|')})1`, 'i'),
);
const CASH_PREFIX_SHAPE = /^([a-z]{2,20}):(?=[qpzr])(.*)$/i;
const prefixes = bitcoinCatalogue.derive(() =>
  listWords([...segwitPrefixes().keys()].map((prefix) => `${prefix}1`)),
);

/**
 * Parses an address of any network of the family: Base58Check, Bech32 (BIP-173), Bech32m (BIP-350) and CashAddr. Segwit
 * addresses are canonical in lower case, CashAddr with its prefix. A text that networks read and write differently counts
 * on those that write it so; `others` has it as the other ones write it. Messages never hold the input, which may be a
 * private key in the wrong field.
 * @throws InvalidAddressError
 */
export function parseAddress(input: string): ParsedAddress {
  const hrp = segwitShape().exec(input)?.[1]?.toLowerCase();
  if (hrp !== undefined) return parseSegwit(input, hrp);
  return parseCash(input) ?? parseLegacy(input);
}

function parseSegwit(input: string, prefix: string): ParsedAddress {
  const canonical = input.toLowerCase();
  const { version, program } = parseSegwitAddress(input, prefix);
  const networkGids = segwitPrefixes().get(prefix);
  return { canonical, display: canonical, format: formatOf({ version, program }), networkGids };
}

function formatOf({ version, program }: WitnessProgram): string {
  if (version === 0) return program.length === 20 ? 'p2wpkh' : 'p2wsh';
  return version === 1 && program.length === 32 ? 'p2tr' : 'witness_unknown';
}

/** Undefined when the text has not the form of CashAddr. The prefix may be absent: the checksum covers it. */
function parseCash(input: string): ParsedAddress | undefined {
  const [, written, rest] = CASH_PREFIX_SHAPE.exec(input) ?? [];
  if (written === undefined || rest === undefined)
    return CASH_SHAPE.test(input) ? readCash(findCashPrefix(input), input) : undefined;
  const prefix = written.toLowerCase();
  if (!cashPrefixes().has(prefix))
    throw new InvalidAddressError(
      `address is of another network: expected the prefix ${listWords([...cashPrefixes().keys()].map((known) => `${known}:`))}, got ${JSON.stringify(`${prefix}:`)}`,
    );
  if (input !== input.toLowerCase() && input !== input.toUpperCase())
    throw new InvalidAddressError('address is in mixed case: expected all lower or all upper case, got both');
  return readCash(prefix, rest);
}

function findCashPrefix(payload: string): string {
  const all = [...cashPrefixes().keys()];
  return all.find((prefix) => canRead(prefix, payload)) ?? all[0]!;
}

function canRead(prefix: string, payload: string): boolean {
  try {
    decodeCashAddress(prefix, payload);
    return true;
  } catch {
    return false;
  }
}

/** Addresses that also take tokens (types 2 and 3) pay to the same script, and are written as those that do not. */
function readCash(prefix: string, payload: string): ParsedAddress {
  const { type, hash } = decodeCashAddress(prefix, payload);
  const isScript = (type & 1) === 1;
  try {
    keyOfCash({ type, hash });
  } catch {
    throw new InvalidAddressError(
      `address has an unknown type: expected that of a key with 20 bytes, or of a script with 20 or 32, got type ${type} with ${hash.length}`,
    );
  }
  const canonical = encodeCashAddress(prefix, { type: type & 1, hash });
  const format = isScript ? (hash.length === 32 ? 'p2sh32' : 'p2sh') : 'p2pkh';
  return { canonical, display: canonical, format, networkGids: cashPrefixes().get(prefix) };
}

function parseLegacy(input: string): ParsedAddress {
  checkPrefix(input);
  const { version, hash } = readBase58(input);
  const readers = base58Readers().get(version);
  if (readers === undefined)
    throw new InvalidAddressError(
      `address is of another network: expected the version byte ${listWords([...base58Readers().keys()].map(toHex))}, got ${toHex(version)}${nameOf(findForeignVersion(version))}`,
    );
  const spellings = new Map<string, ParsedAddress & { readonly networkGids: string[] }>();
  for (const { network, format, isWritten } of readers) {
    const canonical = isWritten ? input : findAddress(network, toScript(format, hash))!;
    const known = spellings.get(canonical);
    if (known === undefined)
      spellings.set(canonical, { canonical, display: canonical, format, networkGids: [network.gid] });
    else known.networkGids.push(network.gid);
  }
  const [first, ...others] = spellings.values();
  return others.length === 0 ? first! : { ...first!, others };
}

function readBase58(input: string): { readonly version: number; readonly hash: Uint8Array } {
  checkBase58Text(input, [26, 35], 'Base58Check');
  try {
    return library.fromBase58Check(input);
  } catch {
    // The library's message may hold the input.
    throw new InvalidAddressError(
      'address checksum (Base58Check) is wrong: expected that of 21 bytes, got another: a character is wrong, missing or too many',
    );
  }
}

/** Names the other coin when the prefix is of one, whether the checksum is right or wrong. */
function checkPrefix(input: string): void {
  const mweb = mwebPrefixes().get(mwebShape().exec(input)?.[1]?.toLowerCase() ?? '');
  if (mweb !== undefined)
    throw new InvalidAddressError(
      `address is of an extension block (MWEB), whose payments nobody but the receiver can see: expected another address of ${listWords(mweb)}`,
    );
  const prefix =
    findPrefix(input) ??
    /^(?:([a-z]{2,})1[a-z\d]{6,}|([A-Z]{2,})1[A-Z\d]{6,})$/.exec(input)?.slice(1).join('').toLowerCase();
  if (prefix === undefined) return;
  throw new InvalidAddressError(
    `address is of another network: expected the prefix ${prefixes()}, got ${JSON.stringify(`${prefix}1`)}${nameOf(findForeignPrefix(prefix))}`,
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
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
