// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { isSame, toHex } from './bytes.ts';
import { fail } from './proof.ts';

/** RLP: bytes, or a list of such. */
export type Item = Uint8Array | readonly Item[];

/** @throws InvalidProofError that names the member */
export function decodeList(member: string, bytes: Uint8Array): readonly Item[] {
  const decoded = tryDecode(bytes);
  return decoded === undefined || decoded instanceof Uint8Array
    ? fail(`${member}: expected an RLP list`)
    : decoded;
}

function tryDecode(bytes: Uint8Array): Item | undefined {
  try {
    return RLP.decode(bytes) as Item;
  } catch {
    return undefined;
  }
}

/** Children of a node that branches; its value stands behind them. */
const WIDTH = 16;
/** The first digit of a node's path: 2 ends in a value, 1 leaves out half a byte. */
const [LEAF, ODD] = [2, 1];

/**
 * The value at a key of a Merkle-Patricia trie, along the nodes from its root; undefined where they do not lead to one, or
 * one of them is not on the way. `@ethereumjs/mpt` does the same, but neither on Node 18 nor in a browser as it is.
 */
export function findInTrie({
  root,
  key,
  nodes,
}: {
  readonly root: Uint8Array;
  readonly key: Uint8Array;
  readonly nodes: readonly Uint8Array[];
}): Uint8Array | undefined {
  let [next, digits]: [Item, string] = [root, toHex(key)];
  for (let used = 0; ; ) {
    let node: Item | undefined = next;
    if (next instanceof Uint8Array) {
      const bytes = nodes[used++];
      if (bytes === undefined || !isSame(keccak_256(bytes), next)) return undefined;
      node = tryDecode(bytes);
    }
    const step = node === undefined || node instanceof Uint8Array ? undefined : takeStep(node, digits);
    if (step === undefined) return undefined;
    if (step.isValue) return used === nodes.length && step.item instanceof Uint8Array ? step.item : undefined;
    [next, digits] = [step.item, step.digits];
  }
}

interface Step {
  readonly item: Item;
  readonly isValue: boolean;
  /** Of the key, behind this node. */
  readonly digits: string;
}

function takeStep(node: readonly Item[], digits: string): Step | undefined {
  if (node.length === WIDTH + 1)
    return digits === ''
      ? { item: node[WIDTH]!, isValue: true, digits }
      : { item: node[parseInt(digits[0]!, 16)]!, isValue: false, digits: digits.slice(1) };
  const [packed, item] = node;
  if (node.length !== 2 || !(packed instanceof Uint8Array) || packed.length === 0) return undefined;
  const kind = packed[0]! >> 4;
  const path = toHex(packed).slice((kind & ODD) === 0 ? 2 : 1);
  if (!digits.startsWith(path)) return undefined;
  const rest = digits.slice(path.length);
  const isValue = (kind & LEAF) !== 0;
  return isValue && rest !== '' ? undefined : { item: item!, isValue, digits: rest };
}
