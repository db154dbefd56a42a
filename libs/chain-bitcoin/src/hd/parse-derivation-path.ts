// SPDX-License-Identifier: Apache-2.0
import { InvalidPublicKeyError } from '@chainwatch/chain-core';
import { coinTypeOf } from '../coin-type.ts';
import { bitcoinCatalogue } from '../networks.ts';

export interface AccountPath {
  readonly purpose: number;
  /** SLIP-44: that of a network's coin, 1 for every test network. */
  readonly coinType: number;
  readonly account: number;
  /** Written with `'`. */
  readonly text: string;
}

/** The address format of each purpose (BIP-44, 49, 84, 86). */
export const FORMAT_OF_PURPOSE: Readonly<Record<number, string>> = {
  44: 'p2pkh',
  49: 'p2sh-p2wpkh',
  84: 'p2wpkh',
  86: 'p2tr',
};

const coinTypes = bitcoinCatalogue.derive(
  (networks): ReadonlyMap<number, string> =>
    new Map(
      networks.map((network) => [
        coinTypeOf(network),
        network.isTestnet ? 'test networks' : network.displayName,
      ]),
    ),
);
const HARDENED_MAX = 2 ** 31 - 1;
const SHAPE = /^m\/(\d{1,10})['hH]\/(\d{1,10})['hH]\/(\d{1,10})['hH]$/;

/** `m/84'/0'/0'`, down to the account. @throws InvalidPublicKeyError */
export function parseDerivationPath(input: string): AccountPath {
  const match = SHAPE.exec(input.trim());
  if (match === null) throw invalid(`expected a path to an account such as m/84'/0'/0', got ${show(input)}`);
  const [purpose, coinType, account] = match.slice(1).map(Number) as [number, number, number];
  if (FORMAT_OF_PURPOSE[purpose] === undefined)
    throw invalid(`expected the purpose 44', 49', 84' or 86', got ${purpose}'`);
  if (!coinTypes().has(coinType))
    throw invalid(`expected a coin type of ${describeCoinTypes()}, got ${coinType}'`);
  if (account > HARDENED_MAX)
    throw invalid(`expected an account of at most ${HARDENED_MAX}', got ${account}'`);
  return { purpose, coinType, account, text: `m/${purpose}'/${coinType}'/${account}'` };
}

function describeCoinTypes(): string {
  return [...coinTypes()].map(([coinType, name]) => `${coinType}' (${name})`).join(', ');
}

/** Does not repeat the input where somebody sent a key in place of the path. */
function show(input: string): string {
  return /^[mM\d/'hH ]{0,64}$/.test(input)
    ? JSON.stringify(input)
    : `${input.length} characters of another kind`;
}

function invalid(message: string): InvalidPublicKeyError {
  return new InvalidPublicKeyError(message, { field: 'derivation_path' });
}
