import type { ChainFamily, ChainFamilyName } from '@chainwatch/chain-core';

/** One line per family with code, keyed by its CAIP-2 namespace; loaded on first use, so an app carries only what it serves. */
const loaders: Readonly<Record<string, () => Promise<ChainFamily>>> = {
  eip155: async () => (await import('@chainwatch/chain-evm')).evmFamily,
};

const namespaces: Readonly<Record<ChainFamilyName, string>> = {
  evm: 'eip155',
  bitcoin: 'bip122',
  solana: 'solana',
  tron: 'tron',
};

/** The family that serves a CAIP-2 namespace; undefined when no family here does. */
export async function findFamily(namespace: string): Promise<ChainFamily | undefined> {
  return Object.hasOwn(loaders, namespace) ? loaders[namespace]?.() : undefined;
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
