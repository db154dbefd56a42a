import { InvalidPublicKeyError } from '@chainwatch/chain-core';
import type { ParsedPublicKey, PublicKeyInput } from '@chainwatch/chain-core';
import { bitcoinNetworks } from '../networks.ts';
import { decodeExtendedKey } from './decode-extended-key.ts';
import type { ExtendedKey } from './decode-extended-key.ts';
import { FORMAT_OF_PURPOSE, parseDerivationPath } from './parse-derivation-path.ts';
import type { AccountPath } from './parse-derivation-path.ts';

const ACCOUNT_DEPTH = 3;
const HARDENED = 2 ** 31;

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
  if (prefix.isTest !== (path.coinType === 1)) {
    throw conflict(
      `expected the coin type ${prefix.isTest ? 1 : 0}' for the prefix ${prefix.name}, got ${path.coinType}'`,
    );
  }
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
  const gids: readonly string[] = bitcoinNetworks
    .filter((network) => network.isTestnet === (path.coinType === 1))
    .map((network) => network.gid);
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
