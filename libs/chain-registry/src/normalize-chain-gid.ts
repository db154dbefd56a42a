const tronReferences: Readonly<Record<string, string>> = {
  mainnet: '0x2b6653dc',
  shasta: '0x94a9059e',
  nile: '0xcd8690dc',
};

/**
 * One spelling for each chain id: TRON's decimal and named references become the hexadecimal one, `eip155` loses
 * leading zeros. Anything else comes back as it is; whether the chain is known is for `findNetwork` to say.
 */
export function normalizeChainGid(input: string): string {
  const gid = input.trim();
  const separator = gid.indexOf(':');
  if (separator < 0) return gid;
  const namespace = gid.slice(0, separator).toLowerCase();
  return `${namespace}:${normalizeReference(namespace, gid.slice(separator + 1))}`;
}

function normalizeReference(namespace: string, reference: string): string {
  if (namespace === 'eip155' && /^\d{1,32}$/.test(reference)) return BigInt(reference).toString();
  if (namespace === 'bip122') return reference.toLowerCase();
  if (namespace === 'tron') return normalizeTron(reference.toLowerCase());
  return reference;
}

function normalizeTron(reference: string): string {
  if (Object.hasOwn(tronReferences, reference)) return tronReferences[reference] ?? reference;
  return /^\d{1,20}$/.test(reference) ? `0x${BigInt(reference).toString(16)}` : reference;
}
