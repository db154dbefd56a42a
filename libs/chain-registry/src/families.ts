import type { ChainFamily, ChainFamilyName, ChainNotation } from '@chainwatch/chain-core';

/** One line per family, keyed by its CAIP-2 namespace; loaded on first use, so an app carries only what it serves. */
const loaders: Readonly<Record<string, () => Promise<ChainNotation>>> = {
  eip155: async () => (await import('@chainwatch/chain-evm')).evmFamily,
  bip122: async () => (await import('@chainwatch/chain-bitcoin')).bitcoinFamily,
  solana: async () => (await import('@chainwatch/chain-solana')).solanaFamily,
  tron: async () => (await import('@chainwatch/chain-tron')).tronFamily,
};

const namespaces: Readonly<Record<ChainFamilyName, string>> = {
  evm: 'eip155',
  bitcoin: 'bip122',
  solana: 'solana',
  tron: 'tron',
};

/** How the family of a CAIP-2 namespace writes its chains, addresses and assets; undefined when no family here does. */
export async function findNotation(namespace: string): Promise<ChainNotation | undefined> {
  return Object.hasOwn(loaders, namespace) ? loaders[namespace]?.() : undefined;
}

/** The family that follows the chains of a CAIP-2 namespace; undefined when no family here does. */
export async function findFamily(namespace: string): Promise<ChainFamily | undefined> {
  const notation = await findNotation(namespace);
  return notation && isFollowed(notation) ? notation : undefined;
}

function isFollowed(notation: ChainNotation): notation is ChainFamily {
  return 'createClient' in notation;
}

/** The family a CAIP-2 namespace (or a whole CAIP-2 id) belongs to, whether or not it has code yet. */
export function familyOfNamespace(namespace: string): ChainFamilyName | undefined {
  const wanted = namespace.split(':', 1)[0];
  for (const [family, own] of Object.entries(namespaces)) {
    if (own === wanted) return family as ChainFamilyName;
  }
  return undefined;
}

/** The CAIP-2 namespace of a family. */
export function namespaceOfFamily(family: ChainFamilyName): string {
  return namespaces[family];
}
