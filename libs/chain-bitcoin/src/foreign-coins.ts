// SPDX-License-Identifier: Apache-2.0
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

export function findForeignPrefix(prefix: string): string | undefined {
  return Object.hasOwn(PREFIXES, prefix) ? PREFIXES[prefix] : undefined;
}

export function findForeignVersion(version: number): string | undefined {
  return VERSIONS[version];
}
