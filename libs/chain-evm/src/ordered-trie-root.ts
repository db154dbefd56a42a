import { keccak256 } from './keccak.ts';
import type { RlpWriter } from './rlp-writer.ts';

const emptyRoot = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

/**
 * Root, as hex without prefix, of the Merkle-Patricia trie that maps rlp(0…count-1) to values: `transactionsRoot`,
 * `receiptsRoot`, `withdrawalsRoot` (Yellow Paper, appendix D). The keys are prefix-free and known beforehand, so the
 * trie is built bottom-up from its sorted leaves and never stored.
 *
 * @param writeValue writes value `i`, without a header, and leaves everything written before it alone
 */
export function orderedTrieRoot(
  count: number,
  writer: RlpWriter,
  writeValue: (index: number) => void,
): string {
  if (count === 0) return emptyRoot;
  const leaves = sortedLeaves(count);
  const root = buildNode({ leaves, writer, writeValue }, 0, count, 0, true);
  return Buffer.from(root.buffer, root.byteOffset, root.length).toString('hex');
}

interface Leaf {
  readonly index: number;
  /** Key as nibbles. */
  readonly path: Uint8Array;
}

interface Trie {
  readonly leaves: readonly Leaf[];
  readonly writer: RlpWriter;
  readonly writeValue: (index: number) => void;
}

/** The node of leaves [from, to) below `depth`: its hash, or as a child its RLP item (a node under 32 bytes is itself). */
function buildNode(trie: Trie, from: number, to: number, depth: number, isRoot = false): Uint8Array {
  const { leaves, writer } = trie;
  const first = pathOf(leaves, from);
  if (to - from === 1) {
    writer.reset();
    trie.writeValue(leaves[from]?.index ?? 0);
    writer.text(0);
    writePath(writer, first, depth, first.length, 0x20);
    return closeNode(writer, isRoot);
  }
  const last = pathOf(leaves, to - 1);
  let fork = depth;
  while (first[fork] === last[fork]) fork++;
  const branch = buildBranch(trie, from, to, fork, isRoot && fork === depth);
  if (fork === depth) return branch;
  writer.reset();
  writer.bytes(branch);
  writePath(writer, first, depth, fork, 0x00);
  return closeNode(writer, isRoot);
}

function buildBranch(trie: Trie, from: number, to: number, depth: number, isRoot: boolean): Uint8Array {
  const children: (Uint8Array | undefined)[] = new Array<undefined>(16).fill(undefined);
  let start = from;
  while (start < to) {
    const nibble = pathOf(trie.leaves, start)[depth] ?? 0;
    let end = start + 1;
    while (end < to && pathOf(trie.leaves, end)[depth] === nibble) end++;
    children[nibble] = buildNode(trie, start, end, depth + 1);
    start = end;
  }
  const { writer } = trie;
  writer.reset();
  writer.byte(0x80); // no key ends at a branch: rlp(index) is prefix-free
  for (let nibble = 15; nibble >= 0; nibble--) {
    const child = children[nibble];
    if (child === undefined) writer.byte(0x80);
    else writer.bytes(child);
  }
  return closeNode(writer, isRoot);
}

function closeNode(writer: RlpWriter, isRoot: boolean): Uint8Array {
  writer.list(0);
  if (!isRoot && writer.size < 32) return Uint8Array.from(writer.written);
  const hash = keccak256(writer.written);
  if (isRoot) return hash;
  const item = new Uint8Array(33);
  item[0] = 0xa0;
  item.set(hash, 1);
  return item;
}

/** Hex-prefix encoding of path[from, to) (appendix C); `flag` is 0x20 for a leaf. */
function writePath(writer: RlpWriter, path: Uint8Array, from: number, to: number, flag: number): void {
  const mark = writer.size;
  for (let i = to - 1; i > from; i -= 2) writer.byte(((path[i - 1] ?? 0) << 4) | (path[i] ?? 0));
  writer.byte((to - from) % 2 === 1 ? flag | 0x10 | (path[from] ?? 0) : flag);
  writer.text(mark);
}

// Sorted keys depend on the count only; blocks come in few sizes, so the last ones are kept.
const cache = new Map<number, readonly Leaf[]>();

function sortedLeaves(count: number): readonly Leaf[] {
  const known = cache.get(count);
  if (known !== undefined) return known;
  const leaves: Leaf[] = [];
  for (let i = 1; i < Math.min(count, 128); i++) leaves.push({ index: i, path: keyPath(i) });
  leaves.push({ index: 0, path: keyPath(0) }); // rlp(0) is 0x80, between 0x7f and 0x8180
  for (let i = 128; i < count; i++) leaves.push({ index: i, path: keyPath(i) });
  if (cache.size >= 64) cache.clear();
  cache.set(count, leaves);
  return leaves;
}

function keyPath(index: number): Uint8Array {
  const key = index === 0 ? [0x80] : bigEndian(index);
  if (index >= 128) key.unshift(0x80 + key.length);
  const path = new Uint8Array(key.length * 2);
  key.forEach((byte, at) => {
    path[at * 2] = byte >> 4;
    path[at * 2 + 1] = byte & 15;
  });
  return path;
}

function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 255);
  return bytes;
}

function pathOf(leaves: readonly Leaf[], at: number): Uint8Array {
  return leaves[at]?.path ?? new Uint8Array(0);
}
