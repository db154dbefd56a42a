// SPDX-License-Identifier: Apache-2.0
import { keccak256Hex, rlpHead } from './encode-rlp.ts';

/** A value of the trie, and its key as nibbles: one hex digit each. */
interface Leaf {
  readonly key: string;
  readonly value: Uint8Array;
}

/**
 * Root, as hex with prefix, of the Merkle-Patricia trie that maps rlp(0…count-1) to values: `transactionsRoot`,
 * `receiptsRoot`, `withdrawalsRoot` (Yellow Paper, appendix D). The whole content is known, so each node is made once,
 * from the leaves up.
 */
export function computeOrderedRoot(values: readonly Uint8Array[]): string {
  const leaves = values.map((value, index) => ({ key: toKey(index), value }));
  // rlp('') is the content of an empty trie.
  const root = leaves.length === 0 ? Buffer.from('80', 'hex') : encodeNode(leaves.sort(byKey), 0);
  return `0x${keccak256Hex(root)}`;
}

const byKey = (a: Leaf, b: Leaf): number => (a.key < b.key ? -1 : 1);

/** rlp(index): one byte below 128, 0 is the empty text. */
function toKey(index: number): string {
  if (index === 0) return '80';
  const digits = index.toString(16);
  const whole = digits.length % 2 === 0 ? digits : `0${digits}`;
  return index < 128 ? whole : rlpHead(0x80, whole.length) + whole;
}

/** @param leaves in the order of their keys, which are the same before `depth`. No key begins with another one. */
function encodeNode(leaves: readonly Leaf[], depth: number): Buffer {
  const first = leaves[0] as Leaf;
  const last = leaves[leaves.length - 1] as Leaf;
  if (first === last) return encodeLeaf(toText(toPath(first.key.slice(depth), 2)), first.value);
  let end = depth;
  while (first.key[end] === last.key[end]) end += 1;
  const branch = encodeBranch(leaves, end);
  return end === depth
    ? branch
    : toList(toText(toPath(first.key.slice(depth, end), 0)) + toReference(branch));
}

/** The value joins as bytes: written as digits, it would be copied twice. */
function encodeLeaf(path: string, value: Uint8Array): Buffer {
  const head = path + (value.length === 1 && value[0]! < 0x80 ? '' : rlpHead(0x80, 2 * value.length));
  const list = rlpHead(0xc0, head.length + 2 * value.length);
  return Buffer.concat([Buffer.from(list + head, 'hex'), value]);
}

function encodeBranch(leaves: readonly Leaf[], depth: number): Buffer {
  let children = '';
  let from = 0;
  for (const nibble of '0123456789abcdef') {
    let to = from;
    while (leaves[to]?.key[depth] === nibble) to += 1;
    children += to === from ? '80' : toReference(encodeNode(leaves.slice(from, to), depth + 1));
    from = to;
  }
  // The last place is for a value whose key ends here.
  return toList(`${children}80`);
}

/** A node in its parent: as it is where it is shorter than a hash. */
function toReference(node: Buffer): string {
  return node.length < 32 ? node.toString('hex') : `a0${keccak256Hex(node)}`;
}

/** Nibbles as bytes (hex-prefix encoding). @param kind 0 of extensions, 2 of leaves */
function toPath(nibbles: string, kind: 0 | 2): string {
  return nibbles.length % 2 === 0 ? `${kind}0${nibbles}` : `${kind + 1}${nibbles}`;
}

function toText(hex: string): string {
  return hex.length === 2 && hex < '8' ? hex : rlpHead(0x80, hex.length) + hex;
}

function toList(items: string): Buffer {
  return Buffer.from(rlpHead(0xc0, items.length) + items, 'hex');
}
