export interface ExtendedKeyPrefix {
  readonly name: string;
  readonly isPublic: boolean;
  readonly isTest: boolean;
  /** What the prefix stands for; none: the path alone decides (`xpub` is what most wallets write for every purpose). */
  readonly purpose?: number;
  readonly isMultisig?: boolean;
}

/** Version bytes of extended keys (BIP-32, SLIP-132), so that what is refused can be named. */
const prefixes: Readonly<Record<string, ExtendedKeyPrefix>> = {
  '0488b21e': { name: 'xpub', isPublic: true, isTest: false },
  '049d7cb2': { name: 'ypub', isPublic: true, isTest: false, purpose: 49 },
  '04b24746': { name: 'zpub', isPublic: true, isTest: false, purpose: 84 },
  '043587cf': { name: 'tpub', isPublic: true, isTest: true },
  '044a5262': { name: 'upub', isPublic: true, isTest: true, purpose: 49 },
  '045f1cf6': { name: 'vpub', isPublic: true, isTest: true, purpose: 84 },
  '0295b43f': { name: 'Ypub', isPublic: true, isTest: false, isMultisig: true },
  '02aa7ed3': { name: 'Zpub', isPublic: true, isTest: false, isMultisig: true },
  '024289ef': { name: 'Upub', isPublic: true, isTest: true, isMultisig: true },
  '02575483': { name: 'Vpub', isPublic: true, isTest: true, isMultisig: true },
  '0488ade4': { name: 'xprv', isPublic: false, isTest: false },
  '049d7878': { name: 'yprv', isPublic: false, isTest: false },
  '04b2430c': { name: 'zprv', isPublic: false, isTest: false },
  '04358394': { name: 'tprv', isPublic: false, isTest: true },
  '044a4e28': { name: 'uprv', isPublic: false, isTest: true },
  '045f18bc': { name: 'vprv', isPublic: false, isTest: true },
  '0295b005': { name: 'Yprv', isPublic: false, isTest: false, isMultisig: true },
  '02aa7a99': { name: 'Zprv', isPublic: false, isTest: false, isMultisig: true },
  '024285b5': { name: 'Uprv', isPublic: false, isTest: true, isMultisig: true },
  '02575048': { name: 'Vprv', isPublic: false, isTest: true, isMultisig: true },
};

/** The prefix of four version bytes; undefined for one that nobody registered. */
export function findPrefix(version: Uint8Array): ExtendedKeyPrefix | undefined {
  return prefixes[Buffer.from(version).toString('hex')];
}

/** Whether a text begins like a private key: said even of one that is broken otherwise. */
export function looksPrivate(text: string): boolean {
  return /^[xyztuv]prv/i.test(text);
}
