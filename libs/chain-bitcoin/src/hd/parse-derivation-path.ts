import { InvalidPublicKeyError } from '@chainwatch/chain-core';

export interface AccountPath {
  readonly purpose: number;
  /** SLIP-44: 0 for Bitcoin, 1 for every test network. */
  readonly coinType: 0 | 1;
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

const HARDENED_MAX = 2 ** 31 - 1;
const SHAPE = /^m\/(\d{1,10})['hH]\/(\d{1,10})['hH]\/(\d{1,10})['hH]$/;

/** `m/84'/0'/0'`, down to the account. @throws InvalidPublicKeyError */
export function parseDerivationPath(input: string): AccountPath {
  const match = SHAPE.exec(input.trim());
  if (match === null) throw invalid(`expected a path to an account such as m/84'/0'/0', got ${show(input)}`);
  const [purpose, coinType, account] = match.slice(1).map(Number) as [number, number, number];
  if (FORMAT_OF_PURPOSE[purpose] === undefined)
    throw invalid(`expected the purpose 44', 49', 84' or 86', got ${purpose}'`);
  if (coinType !== 0 && coinType !== 1)
    throw invalid(`expected the coin type 0' (Bitcoin) or 1' (test networks), got ${coinType}'`);
  if (account > HARDENED_MAX)
    throw invalid(`expected an account of at most ${HARDENED_MAX}', got ${account}'`);
  return { purpose, coinType, account, text: `m/${purpose}'/${coinType}'/${account}'` };
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
