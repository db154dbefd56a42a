// SPDX-License-Identifier: Apache-2.0
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';

const base58check = createBase58check(sha256);

export const mainnet = 'bip122:000000000019d6689c085ae165831e93';
export const testNetworks = [
  'bip122:000000000933ea01ad0ee984209779ba',
  'bip122:00000000da84f2bafbbc53dee25a72ae',
  'bip122:00000008819873e925422c1ff0f99f7c',
  'bip122:0f9188f13cb7b2c71f2a335e3a4fc328',
] as const;

/** Version bytes as SLIP-132 lists them. */
export const versions = {
  xpub: '0488b21e',
  ypub: '049d7cb2',
  zpub: '04b24746',
  tpub: '043587cf',
  upub: '044a5262',
  vpub: '045f1cf6',
  Ypub: '0295b43f',
  Zpub: '02aa7ed3',
  Upub: '024289ef',
  Vpub: '02575483',
  xprv: '0488ade4',
  yprv: '049d7878',
  zprv: '04b2430c',
  tprv: '04358394',
  uprv: '044a4e28',
  vprv: '045f18bc',
  Yprv: '0295b005',
  Zprv: '02aa7a99',
  Uprv: '024285b5',
  Vprv: '02575048',
} as const;

export interface KeyParts {
  version?: keyof typeof versions;
  depth?: number;
  /** As serialized, the top bit included. */
  childNumber?: number;
  /** Hex of the key's 33 bytes. */
  key?: string;
}

/** The same extended key with other parts, its checksum right again. */
export function rewriteKey(extendedKey: string, parts: KeyParts): string {
  const bytes = Buffer.from(base58check.decode(extendedKey));
  if (parts.version !== undefined) bytes.write(versions[parts.version], 0, 'hex');
  if (parts.depth !== undefined) bytes.writeUInt8(parts.depth, 4);
  if (parts.childNumber !== undefined) bytes.writeUInt32BE(parts.childNumber, 9);
  if (parts.key !== undefined) bytes.write(parts.key, 45, 'hex');
  return base58check.encode(bytes);
}

export function parentFingerprintOf(extendedKey: string): string {
  return Buffer.from(base58check.decode(extendedKey)).subarray(5, 9).toString('hex');
}
