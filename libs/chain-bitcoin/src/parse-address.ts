// SPDX-License-Identifier: Apache-2.0
import { checkBase58Text, InvalidAddressError, type ParsedAddress } from '@chainwatch/chain-core';
import { address as library, address } from 'bitcoinjs-lib';
import { base58Readers, cashPrefixes, mwebPrefixes, segwitPrefixes } from './address-prefixes.ts';
import { CASH_SHAPE, decodeCashAddress, encodeCashAddress } from './cash-address.ts';
import { keyOfCash, findAddress, toScript } from './script-address.ts';
import { bitcoinCatalogue } from './networks.ts';

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

/** Coins whose addresses come here by mistake, by human-readable part and by version byte. */
const PREFIXES: Readonly<Record<string, string>> = {
  tltc: 'Litecoin Testnet',
  tmweb: 'Litecoin Testnet',
  dgb: 'DigiByte',
  vtc: 'Vertcoin',
  grs: 'Groestlcoin',
};
const VERSIONS: Readonly<Record<number, string>> = {
  0x10: 'Dash',
  0x3a: 'Litecoin Testnet',
  0x41: 'TRON',
  0x4c: 'Dash',
  0x71: 'Dogecoin Testnet',
};

function findForeignPrefix(prefix: string): string | undefined {
  return Object.hasOwn(PREFIXES, prefix) ? PREFIXES[prefix] : undefined;
}

function findForeignVersion(version: number): string | undefined {
  return VERSIONS[version];
}

/** What a segwit address says (BIP-141, BIP-173, BIP-350). */
interface WitnessProgram {
  /** 0 … 16. */
  readonly version: number;
  /** 2 … 40 bytes. */
  readonly program: Uint8Array;
}

const LENGTH_MAX = 90;
const CHECKSUM_LENGTH = 6;

/**
 * Reads a segwit address whose human-readable part is known to be `prefix`, by bitcoinjs-lib. The library
 * does not bound version and program, so that its address parser alone would accept invalid ones.
 * @param input in one case, all lower or all upper
 * @throws InvalidAddressError that says which rule is broken
 */
function parseSegwitAddress(input: string, prefix: string): WitnessProgram {
  checkText(input, prefix);
  const { version, data } = decode(input, prefix);
  const fault = findProgramFault(version, data.length);
  if (fault !== undefined) throw new InvalidAddressError(fault);
  return { version, program: data };
}

/** Rules that the library does not check. */
function findProgramFault(version: number, length: number): string | undefined {
  if (version > 16) return `address has a wrong witness version: expected 0 to 16, got ${version}`;
  if (length < 2 || length > 40)
    return `witness program has a wrong length: expected 2 to 40 bytes, got ${length}`;
  if (version === 0 && length !== 20 && length !== 32)
    return `witness program has a wrong length: expected 20 or 32 bytes for witness version 0, got ${length}`;
  return undefined;
}

function checkText(input: string, prefix: string): void {
  if (input !== input.toLowerCase() && input !== input.toUpperCase()) {
    throw new InvalidAddressError('address is in mixed case: expected all lower or all upper case, got both');
  }
  if (input.length > LENGTH_MAX) {
    throw new InvalidAddressError(
      `address has a wrong length: expected at most ${LENGTH_MAX} characters, got ${input.length}`,
    );
  }
  const start = prefix.length + 1;
  const wrong = /[^qpzry9x8gf2tvdw0s3jn54khce6mua7l]/iu.exec(input.slice(start));
  if (wrong) {
    const expected = 'expected letters and digits other than 1, b, i and o';
    throw new InvalidAddressError(
      `address has an illegal character: ${expected} after ${prefix}1, got ${JSON.stringify(wrong[0])} as character ${start + wrong.index + 1}`,
    );
  }
  if (input.length < start + CHECKSUM_LENGTH) {
    throw new InvalidAddressError(
      `address has a wrong length: expected at least ${start + CHECKSUM_LENGTH} characters, got ${input.length}`,
    );
  }
}

function decode(input: string, prefix: string): { readonly version: number; readonly data: Uint8Array } {
  try {
    return address.fromBech32(input);
  } catch (error) {
    // The library's message holds the input, so only the kind of fault is passed on.
    throw new InvalidAddressError(nameFault(input, prefix, String(error)));
  }
}

/** The first rule that is broken: checksum, version, padding, length, and which of the two checksums it must have. */
function nameFault(input: string, prefix: string, message: string): string {
  const isPadding = message.includes('padding');
  if (!isPadding && !message.includes('wrong encoding'))
    return 'address checksum is wrong: expected the one of Bech32 (BIP-173) or Bech32m (BIP-350), got one that fits neither';
  const start = prefix.length + 1;
  const digits = input.length - start - 1 - CHECKSUM_LENGTH;
  if (digits < 0) return 'address is empty: expected a witness version and a program, got a checksum alone';
  const version = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'.indexOf(input.charAt(start).toLowerCase());
  const rest = (digits * 5) % 8;
  if (version <= 16 && rest > 4)
    return `address has wrong padding: expected at most 4 bits after the last byte, got ${rest}`;
  if (isPadding) return 'address has wrong padding: expected zero bits after the last byte, got others';
  const [expected, got] = version === 0 ? ['Bech32', 'Bech32m'] : ['Bech32m', 'Bech32'];
  return (
    findProgramFault(version, Math.floor((digits * 5) / 8)) ??
    `address checksum is wrong: expected ${expected} for witness version ${version}, got ${got}`
  );
}
