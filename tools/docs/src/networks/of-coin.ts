// SPDX-License-Identifier: Apache-2.0
interface Identity {
  readonly height: number;
}

interface ExtendedKey {
  readonly purpose: number;
  readonly public: { readonly name: string };
}

/** What is particular to a network of unspent outputs, by its traits. */
export function ofCoin(traits: Readonly<Record<string, unknown>>): string[] {
  const identity = (traits['identity'] ?? []) as readonly Identity[];
  const keys = (traits['extendedKeys'] ?? []) as readonly ExtendedKey[];
  const { mweb, cashAddrPrefix, cashTokensHeight, coinbaseMaturity, mergedMining, proofOfWork } = traits;
  const splits = identity.filter(({ height }) => height > 0).map(({ height }) => height);
  return [
    ...when(
      splits.length > 0,
      `A node is recognized by the hash of ${splits.length === 1 ? 'block' : 'each of the blocks'} ${splits.join(', ')}.`,
    ),
    ...when(proofOfWork === 'scrypt', 'The proof of work is scrypt.'),
    ...when(mergedMining !== undefined, 'Merged mining: the proof of the other chain (AuxPoW) is verified.'),
    ...when(
      coinbaseMaturity !== undefined,
      `A coinbase may be spent after ${String(coinbaseMaturity)} blocks.`,
    ),
    ...when(
      mweb !== undefined,
      'Extension blocks (MWEB) are read past: their amounts and receivers are hidden. What enters one is an output without an address; what leaves one is an output of the last transaction of the block, and counts at once, although the chain lets it be spent only after 6 blocks. MWEB addresses are refused.',
    ),
    ...when(
      cashAddrPrefix !== undefined,
      `Addresses are CashAddr with the prefix \`${String(cashAddrPrefix)}:\`; a Base58 address needs \`chain_gids\` on import.`,
    ),
    ...when(
      cashTokensHeight !== undefined,
      'Tokens in outputs (CashTokens) are read past: the coins of such an output count, its tokens are not reported. SLP tokens are ignored.',
    ),
    ...when(
      keys.length > 0,
      `Extended keys of its own: ${keys.map((key) => `\`${key.public.name}\` (${key.purpose}')`).join(', ')}; xpub works as well.`,
    ),
  ];
}

const when = (is: boolean, text: string): string[] => (is ? [text] : []);
