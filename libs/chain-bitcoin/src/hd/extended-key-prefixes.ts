export interface ExtendedKeyPrefix {
  readonly name: string;
  readonly version: number;
  readonly isPublic: boolean;
  readonly isTest: boolean;
  /**
   * The purpose that the prefix stands for. Absent: the path alone decides, because most wallets write `xpub`
   * for every purpose.
   */
  readonly purpose?: number;
  readonly isMultisig?: boolean;
}

/** Version bytes of extended keys (BIP-32, SLIP-132), so that what is refused can be named. */
const PREFIXES: readonly ExtendedKeyPrefix[] = [
  { name: 'xpub', version: 0x0488b21e, isPublic: true, isTest: false },
  { name: 'ypub', version: 0x049d7cb2, isPublic: true, isTest: false, purpose: 49 },
  { name: 'zpub', version: 0x04b24746, isPublic: true, isTest: false, purpose: 84 },
  { name: 'tpub', version: 0x043587cf, isPublic: true, isTest: true },
  { name: 'upub', version: 0x044a5262, isPublic: true, isTest: true, purpose: 49 },
  { name: 'vpub', version: 0x045f1cf6, isPublic: true, isTest: true, purpose: 84 },
  { name: 'Ypub', version: 0x0295b43f, isPublic: true, isTest: false, isMultisig: true },
  { name: 'Zpub', version: 0x02aa7ed3, isPublic: true, isTest: false, isMultisig: true },
  { name: 'Upub', version: 0x024289ef, isPublic: true, isTest: true, isMultisig: true },
  { name: 'Vpub', version: 0x02575483, isPublic: true, isTest: true, isMultisig: true },
  { name: 'xprv', version: 0x0488ade4, isPublic: false, isTest: false },
  { name: 'yprv', version: 0x049d7878, isPublic: false, isTest: false },
  { name: 'zprv', version: 0x04b2430c, isPublic: false, isTest: false },
  { name: 'tprv', version: 0x04358394, isPublic: false, isTest: true },
  { name: 'uprv', version: 0x044a4e28, isPublic: false, isTest: true },
  { name: 'vprv', version: 0x045f18bc, isPublic: false, isTest: true },
  { name: 'Yprv', version: 0x0295b005, isPublic: false, isTest: false, isMultisig: true },
  { name: 'Zprv', version: 0x02aa7a99, isPublic: false, isTest: false, isMultisig: true },
  { name: 'Uprv', version: 0x024285b5, isPublic: false, isTest: true, isMultisig: true },
  { name: 'Vprv', version: 0x02575048, isPublic: false, isTest: true, isMultisig: true },
];

/** Undefined for version bytes that nobody registered. */
export function findPrefix(version: number): ExtendedKeyPrefix | undefined {
  return PREFIXES.find((prefix) => prefix.version === version);
}

/** The versions that @scure/bip32 may accept: the one that the key's text begins with, and no private one. */
export function versionsOf(extendedPublicKey: string): { readonly public: number; readonly private: number } {
  const prefix = PREFIXES.find(({ name }) => extendedPublicKey.startsWith(name));
  if (prefix?.isPublic !== true) throw new Error('expected an extended public key, got another text');
  return { public: prefix.version, private: 0 };
}

/** Whether a text begins like a private key, even if the rest of it is broken. */
export function looksPrivate(text: string): boolean {
  return /^[xyztuv]prv/i.test(text);
}
