// SPDX-License-Identifier: Apache-2.0
/** Accounts of the mnemonic "abandon … about", as BIP-84, BIP-86 and SLIP-132 publish them, and one of a test network. */
export const accounts = {
  bip44: {
    key: 'xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj',
    path: "m/44'/0'/0'",
    first: '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA',
  },
  bip49: {
    key: 'ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf3zbeJJJUZPf663zsP',
    path: "m/49'/0'/0'",
    first: '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf',
  },
  bip84: {
    key: 'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
    path: "m/84'/0'/0'",
    first: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  },
  bip86: {
    key: 'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ',
    path: "m/86'/0'/0'",
    first: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  },
  testnet: {
    key: 'tpubDD7tXK8KeQ3YY83yWq755fHY2JW8Ha8Q765tknUM5rSvjPcGWfUppDFMpQ1ScziKfW3ZNtZvAD7M3u7bSs7HofjTD3KP3YxPK7X6hwV8Rk2',
    path: "m/49'/1'/0'",
    first: '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2',
  },
} as const;

/** The account of `bip84` written as xpub. */
export const bip84AsXpub =
  'xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V';

export const bitcoin = 'bip122:000000000019d6689c085ae165831e93';
export const bitcoinTestnet = 'bip122:000000000933ea01ad0ee984209779ba';
export const bitcoinRegtest = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';

export function bodyOf({ key, path }: { key: string; path: string }): {
  extended_public_key: string;
  derivation_path: string;
} {
  return { extended_public_key: key, derivation_path: path };
}
