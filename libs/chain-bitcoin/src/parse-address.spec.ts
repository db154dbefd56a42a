// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { ChainError } from '@chainwatch/chain-core';
import { bitcoinNetworks, readTraits } from './networks.ts';
import { parseAddress } from './parse-address.ts';
import { findAddress, matchKeyOf } from './script-address.ts';
import { anyScript } from './spec-scripts.ts';
import bip173 from './vectors/bip173.json' with { type: 'json' };
import bip350 from './vectors/bip350.json' with { type: 'json' };
import keyIo from './vectors/key-io.json' with { type: 'json' };

const main = 'bip122:000000000019d6689c085ae165831e93';
const tests = bitcoinNetworks.filter(({ isTestnet }) => isTestnet).map(({ gid }) => gid);
const regtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';

describe('parseAddress', () => {
  it.each([...bip173.valid, ...bip350.valid])('reads the segwit address %s', (address = '', script = '') => {
    const parsed = parseAddress(address);
    expect(parsed).toMatchObject({ canonical: address.toLowerCase(), display: address.toLowerCase() });
    expect(matchKeyOf(parsed.canonical)).toBe(script);
    expect(parseAddress(address.toUpperCase())).toEqual(parsed);
  });

  it.each(keyIo.valid)('reads %s of Bitcoin Core', (address = '', script = '', gid = '') => {
    const parsed = parseAddress(address);
    expect(parsed).toMatchObject({ canonical: address, display: address });
    expect(parsed.networkGids).toContain(gid);
    expect(matchKeyOf(address)).toBe(script);
  });

  it.each<[string, string, readonly string[]]>([
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'p2pkh', [main]],
    ['3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'p2sh', [main]],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'p2wpkh', [main]],
    ['bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3', 'p2wsh', [main]],
    ['bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'p2tr', [main]],
    ['bc1pfeessrawgf', 'witness_unknown', [main]],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'witness_unknown', [main]],
    ['mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', 'p2pkh', tests],
    ['2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc', 'p2sh', tests],
    ['tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'p2wpkh', tests.filter((gid) => gid !== regtest)],
    ['bcrt1qdavt4j2sd7dlhqsavtnfxvzppw6k7qy97tmnu9', 'p2wpkh', [regtest]],
  ])('tells the form and the networks of %s', (address, format, networkGids) => {
    const { others: _others, ...parsed } = parseAddress(address);
    expect(parsed).toEqual({ canonical: address, display: address, format, networkGids });
  });

  it.each([...bip173.invalid, ...bip350.invalid])('refuses %s: %s', (address = '', _reason, text) => {
    expectRefusal(address, text);
  });

  it.each(bip173.replacedByBip350)('refuses %s, which BIP-350 took back', (address) => {
    expectRefusal(address, 'expected Bech32m for witness version');
  });

  it.each([
    ...bip173.validStrings,
    ...bip350.validStrings,
    ...bip173.invalidStrings.flat(),
    ...bip350.invalidStrings.flat(),
    ...keyIo.invalid,
  ])('refuses %j, which is no address', (text) => expectRefusal(text));

  it.each([
    ['', 'expected 26 to 35 characters (Base58Check), got 0'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', 'checksum (Base58Check) is wrong: expected '],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaN', 'checksum (Base58Check) is wrong: expected that of 21 bytes'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN22', 'checksum (Base58Check) is wrong: expected that of 21 bytes'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg', 'checksum (Base58Check) is wrong'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2222', 'expected 26 to 35 characters (Base58Check), got 37'],
    ['1BvBMSEYstWetqTFn5Au4m4GFg7xJaNV0O', 'got "0" as character 33'],
    ['1BvBMSEYstWet TFn5Au4m4GFg7xJaNVN2', 'got " " as character 14'],
    [' 1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'got " " as character 1'],
    ['1BvBMSEYst\u{1f600}', 'got "\u{1f600}" as character 11'],
    ['1'.repeat(5_000), 'expected 26 to 35 characters (Base58Check), got 5000'],
    [`bc1${'q'.repeat(5_000)}`, 'expected at most 90 characters, got 5003'],
    ['bc1q', 'expected at least 9 characters, got 4'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw71v8f3t4', 'got "1" as character 36'],
    ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7k v8f3t4', 'got " " as character 37'],
    ['Bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'expected all lower or all upper case, got both'],
    [
      'vtc1qw508d6qejxtdg4y5r3zarvary0c5xw7kuk9r06',
      'expected the prefix bc1, tb1, bcrt1 or ltc1, got "vtc1" (Vertcoin)',
    ],
    ['VTC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KUK9R07', 'got "vtc1" (Vertcoin)'],
    [
      'XbKzysY6LYGbsGwNG8B7K1BRoA1ffLodAT',
      'expected the version byte 0x00, 0x05, 0x6f, 0xc4, 0x30, 0x32, 0x1e or 0x16, got 0x4c (Dash)',
    ],
    ['TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW', 'got 0x41 (TRON)'],
    ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'got "0" as character 1'],
  ])('says what is wrong with %j', (input, text) => {
    expectRefusal(input, text);
  });

  it('never repeats what may be a private key', () => {
    const key = 'KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617';
    expect(refusalOf(key).publicMessage).not.toContain(key.slice(0, 8));
  });

  it('refuses any one changed character', () => {
    const characters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ';
    fc.assert(
      fc.property(
        fc.constantFrom(...bitcoinNetworks),
        anyScript,
        fc.nat(),
        fc.constantFrom(...characters),
        (network, script, at, character) => {
          const address = findAddress(network, script);
          fc.pre(address !== undefined);
          const position = at % address.length;
          fc.pre(address[position] !== character);
          const corrupted = address.slice(0, position) + character + address.slice(position + 1);
          expect(() => parseAddress(corrupted)).toThrow(
            expect.objectContaining({ code: 'invalid_address' }) as Error,
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('refuses up to four changed characters of a segwit address', () => {
    const change = fc.record({ at: fc.nat(), to: fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l') });
    fc.assert(
      fc.property(
        fc.constantFrom(...bitcoinNetworks),
        anyScript,
        fc.array(change, { minLength: 1, maxLength: 4 }),
        (network, script, changes) => {
          const address = findAddress(network, script);
          const hrp = readTraits(network).bech32Hrp ?? 'none';
          fc.pre(address?.startsWith(hrp) === true);
          const start = hrp.length + 1;
          const characters = [...address];
          for (const { at, to } of changes) characters[start + (at % (address.length - start))] = to;
          fc.pre(characters.join('') !== address);
          expect(() => parseAddress(characters.join(''))).toThrow(
            expect.objectContaining({ code: 'invalid_address' }) as Error,
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('answers every text with an address or an InvalidAddressError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 120 }),
          fc.string().map((text) => `bc1${text}`),
        ),
        (text) => {
          expect(() => parseAddress(text)).toThrow(
            expect.objectContaining({ code: 'invalid_address' }) as Error,
          );
        },
      ),
    );
  });
});

function refusalOf(input: string): ChainError {
  try {
    parseAddress(input);
  } catch (error) {
    if (error instanceof ChainError) return error;
    throw error;
  }
  throw new Error(`${input} was accepted`);
}

function expectRefusal(input: string, text = ''): void {
  const error = refusalOf(input);
  expect(error).toMatchObject({ code: 'invalid_address', retryable: false });
  expect(error.publicMessage).toContain(text);
}
