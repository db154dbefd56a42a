// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { sha256 } from '@noble/hashes/sha2.js';
import { networkNamed } from '../spec-fixtures.ts';
import { deriveAddresses } from './derive-addresses.ts';
import { parsePublicKey } from './hd-derivation.ts';

// The seed of the mnemonic "abandon … about" (BIP-39), whose accounts wallets publish for every coin.
const SEED = Buffer.from(
  '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
  'hex',
);
const master = HDKey.fromMasterSeed(SEED);
const xpubOf = (path: string): string => master.derive(path).publicExtendedKey;

/** The same key under other version bytes. */
function rewrite(key: string, version: string): string {
  const bytes = base58.decode(key).slice(0, -4);
  bytes.set(Buffer.from(version, 'hex'));
  return base58.encode(Buffer.concat([bytes, sha256(sha256(bytes)).slice(0, 4)]));
}

const cases = [
  ['litecoin', "m/44'/2'/0'", 'p2pkh', 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez', 'Ltub', '019da462'],
  ['litecoin', "m/49'/2'/0'", 'p2sh-p2wpkh', 'M7wtsL7wSHDBJVMWWhtQfTMSYYkyooAAXM', 'Mtub', '01b26ef6'],
  ['litecoin', "m/84'/2'/0'", 'p2wpkh', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', 'zpub', '04b24746'],
  ['dogecoin', "m/44'/3'/0'", 'p2pkh', 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC', 'dgub', '02facafd'],
  [
    'bitcoin-cash',
    "m/44'/145'/0'",
    'p2pkh',
    'bitcoincash:qqyx49mu0kkn9ftfj6hje6g2wfer34yfnq5tahq3q6',
    'xpub',
    '0488b21e',
  ],
] as const;

describe('an account of', () => {
  it.each(cases)(
    '%s under %s derives %s addresses',
    async (name, derivationPath, format, first, prefix, version) => {
      const { gid } = networkNamed(name);
      const xpub = xpubOf(derivationPath);
      const own = rewrite(xpub, version);
      expect(own.slice(0, 4)).toBe(prefix);
      for (const extendedPublicKey of [xpub, own]) {
        const parsed = parsePublicKey({ extendedPublicKey, derivationPath });
        expect(parsed).toMatchObject({
          extendedPublicKey,
          addressFormat: format,
          networkGids: [gid],
          accountIndex: 0,
        });
        const [derived] = await deriveAddresses({
          ...{ extendedPublicKey, addressFormat: format, networkGid: gid, change: 0, indexes: [0] },
        });
        expect(derived!.address).toEqual({ canonical: first, display: first, format, networkGids: [gid] });
      }
    },
  );

  it.each([
    ["m/49'/3'/0'", undefined, /purpose 44' for Dogecoin, which has no segwit, got 49'/],
    ["m/84'/145'/0'", undefined, /purpose 44' for Bitcoin Cash, which has no segwit, got 84'/],
    ["m/44'/0'/0'", networkNamed('bitcoin-cash').gid, /expected a path that stands for bip122:0{18}651e/],
    ["m/44'/2'/0'", networkNamed('bitcoin').gid, /expected a path that stands for bip122:0{10}19d6/],
  ])('no coin under %s is refused', (derivationPath, networkGid, message) => {
    expect(() =>
      parsePublicKey({ extendedPublicKey: xpubOf(derivationPath), derivationPath, networkGid }),
    ).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(message) as string,
        isConflict: true,
      }) as Error,
    );
  });

  it('a coin with a prefix of its own has that coin’s path', () => {
    const extendedPublicKey = rewrite(xpubOf("m/44'/3'/0'"), '019da462');
    expect(() => parsePublicKey({ extendedPublicKey, derivationPath: "m/44'/3'/0'" })).toThrow(
      /coin type 2' for the prefix Ltub, got 3'/,
    );
    const nested = rewrite(xpubOf("m/44'/2'/0'"), '01b26ef6');
    expect(() => parsePublicKey({ extendedPublicKey: nested, derivationPath: "m/44'/2'/0'" })).toThrow(
      /purpose 49' for the prefix Mtub, got 44'/,
    );
  });

  it.each(['Ltpv', 'Mtpv', 'dgpv'])('is never given by a private key: %s', (prefix) => {
    const text = `${prefix}${'x'.repeat(107)}`;
    expect(() => parsePublicKey({ extendedPublicKey: text, derivationPath: "m/44'/2'/0'" })).toThrow(
      /got a private key/,
    );
  });

  it('without segwit is asked for no segwit address', async () => {
    const request = { extendedPublicKey: xpubOf("m/44'/3'/0'"), change: 0, indexes: [0] };
    await expect(
      deriveAddresses({ ...request, addressFormat: 'p2wpkh', networkGid: networkNamed('dogecoin').gid }),
    ).rejects.toThrow(/which has no segwit/);
  });
});
