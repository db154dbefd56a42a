// SPDX-License-Identifier: Apache-2.0
import { InvalidPublicKeyError } from '@chainwatch/chain-core';
import type { ParsedPublicKey, PublicKeyInput } from '@chainwatch/chain-core';
import { coinTypeOf } from '../coin-type.ts';
import { bitcoinCatalogue, readTraits } from '../networks.ts';
import { decodeExtendedKey } from './decode-extended-key.ts';
import type { ExtendedKey } from './decode-extended-key.ts';
import { FORMAT_OF_PURPOSE, parseDerivationPath } from './parse-derivation-path.ts';
import type { AccountPath } from './parse-derivation-path.ts';

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
