// SPDX-License-Identifier: Apache-2.0
import {
  type HdDerivation,
  InvalidPublicKeyError,
  type ParsedPublicKey,
  type PublicKeyInput,
} from '@chainwatch/chain-core';
import { deriveAddresses, startDeriving } from './derive-addresses.ts';
import { coinTypeOf } from '../coin-type.ts';
import { bitcoinCatalogue, readTraits } from '../networks.ts';
import { decodeExtendedKey, type ExtendedKey } from './decode-extended-key.ts';

const ACCOUNT_DEPTH = 3;
const HARDENED = 2 ** 31;
/** SLIP-44. */
const TEST_COIN_TYPE = 1;

/** `HdDerivation.parsePublicKey` for Bitcoin: BIP-32 serialization, SLIP-132 prefixes, paths of BIP-44, 49, 84 and 86. */
export function parsePublicKey(input: PublicKeyInput): ParsedPublicKey {
  const extendedPublicKey = input.extendedPublicKey.trim();
  const key = decodeExtendedKey(extendedPublicKey);
  if (key.depth !== ACCOUNT_DEPTH)
    throw invalidKey(`expected the key of an account, depth ${ACCOUNT_DEPTH}, got depth ${key.depth}`);
  const path = parseDerivationPath(input.derivationPath);
  checkAgreement(key, path);
  return {
    extendedPublicKey,
    fingerprint: key.fingerprint,
    derivationPath: path.text,
    purpose: path.purpose,
    accountIndex: path.account,
    addressFormat: FORMAT_OF_PURPOSE[path.purpose]!,
    networkGids: listNetworkGids(path, input.networkGid),
  };
}

function checkAgreement({ prefix, childNumber }: ExtendedKey, path: AccountPath): void {
  if (prefix.isTest !== (path.coinType === TEST_COIN_TYPE)) {
    throw conflict(
      `expected ${prefix.isTest ? `the coin type ${TEST_COIN_TYPE}'` : 'the coin type of a main network'} for the prefix ${prefix.name}, got ${path.coinType}'`,
    );
  }
  if (prefix.coinType !== undefined && prefix.coinType !== path.coinType)
    throw conflict(
      `expected the coin type ${prefix.coinType}' for the prefix ${prefix.name}, got ${path.coinType}'`,
    );
  if (prefix.purpose !== undefined && prefix.purpose !== path.purpose) {
    throw conflict(
      `expected the purpose ${prefix.purpose}' for the prefix ${prefix.name}, got ${path.purpose}'`,
    );
  }
  if (childNumber !== HARDENED + path.account) {
    const own = childNumber >= HARDENED ? `${childNumber - HARDENED}'` : `${childNumber}, not hardened`;
    throw conflict(`expected the account that the key says it is (${own}), got ${path.account}'`);
  }
}

/** The requested network first, the others in the order of the catalogue. */
function listNetworkGids(path: AccountPath, wanted: string | undefined): readonly string[] {
  const networks = bitcoinCatalogue.networks.filter((network) => coinTypeOf(network) === path.coinType);
  const able = networks.filter(
    (network) =>
      FORMAT_OF_PURPOSE[path.purpose] === 'p2pkh' || readTraits(network).segwitHeight !== undefined,
  );
  if (able.length === 0)
    throw conflict(
      `expected the purpose 44' for ${networks[0]!.displayName}, which has no segwit, got ${path.purpose}'`,
    );
  const gids: readonly string[] = able.map(({ gid }) => gid);
  if (wanted === undefined) return gids;
  if (!gids.includes(wanted))
    throw conflict(
      `expected a path that stands for ${wanted}, got the coin type ${path.coinType}', which does not`,
    );
  return [wanted, ...gids.filter((gid) => gid !== wanted)];
}

function invalidKey(message: string): InvalidPublicKeyError {
  return new InvalidPublicKeyError(message, { field: 'extended_public_key' });
}

function conflict(message: string): InvalidPublicKeyError {
  return new InvalidPublicKeyError(message, { field: 'derivation_path', isConflict: true });
}

interface AccountPath {
  readonly purpose: number;
  /** SLIP-44: that of a network's coin, 1 for every test network. */
  readonly coinType: number;
  readonly account: number;
  /** Written with `'`. */
  readonly text: string;
}

/** The address format of each purpose (BIP-44, 49, 84, 86). */
const FORMAT_OF_PURPOSE: Readonly<Record<number, string>> = {
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
function parseDerivationPath(input: string): AccountPath {
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

/** Accounts of single-signature wallets: BIP-32 keys under the paths of BIP-44, 49, 84 and 86. */
export const hdDerivation: HdDerivation = {
  parsePublicKey,
  start: startDeriving,
  deriveAddresses,
};
