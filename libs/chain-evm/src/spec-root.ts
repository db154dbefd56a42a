// SPDX-License-Identifier: Apache-2.0
import { createMPT } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { keccak256, toBytes } from 'viem';

/** Root, as hex with prefix, of the trie that maps rlp(0…count-1) to values, by libraries that share no code with ours. */
export async function rootByLibrary(values: readonly Uint8Array[]): Promise<string> {
  const trie = await createMPT({
    useKeyHashingFunction: (bytes) => toBytes(keccak256(bytes)),
    cacheSize: 1_000,
  });
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value);
  return `0x${Buffer.from(trie.root()).toString('hex')}`;
}
