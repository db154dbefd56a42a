import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { keccak256 } from './encode-rlp.ts';

/**
 * Root, as hex with prefix, of the Merkle-Patricia trie that maps rlp(0…count-1) to values: `transactionsRoot`,
 * `receiptsRoot`, `withdrawalsRoot` (Yellow Paper, appendix D).
 */
export async function computeOrderedRoot(values: readonly Uint8Array[]): Promise<string> {
  // The library rewrites every branch with each value; a cache saves reading them back.
  const trie = await createMPT({ useKeyHashingFunction: keccak256, cacheSize: 1_000 });
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
  return `0x${Buffer.from(trie.root()).toString('hex')}`;
}
