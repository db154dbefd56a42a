// Root of the Merkle-Patricia trie that maps rlp(0…count-1) to values (Yellow Paper, appendix D): `transactionsRoot` and
// `receiptsRoot`. The keys are known beforehand, so the trie is built from its sorted leaves and never stored
// (compute-ordered-root.ts of libs/chain-evm does the same with a library).

import * as rlp from './encode';
import { addMessage, hashAll } from './keccak';

/** Free bytes that a value needs before it, for the head of its leaf. */
export const LEAF_HEAD: usize = 16;
/** Of working memory for each value. */
export const TRIE_BYTES: usize = 64;
/** Working memory for the branches under way: one of 16 children for each nibble of a key. */
export const BRANCH_BYTES: usize = 8 * (16 * 32 + 640);

/** Values: where each stands, its length. */
const VALUE_SIZE: usize = 8;

let values: usize = 0;
let count: u32 = 0;
/** Digests of the leaves, in the order of their keys. */
let digests: usize = 0;
let depths: usize = 0;
let room: usize = 0;

/** @param work `count * TRIE_BYTES + BRANCH_BYTES` bytes */
export function writeRoot(valuesAt: usize, valueCount: u32, work: usize, root: usize): void {
  values = valuesAt;
  count = valueCount;
  digests = work;
  depths = work + 32 * <usize>count;
  const messages = depths + 4 * <usize>count;
  room = work + TRIE_BYTES * <usize>count;
  findDepths(0, count, 0);
  for (let place: u32 = 0; place < count; place++) addLeaf(messages, place);
  hashAll(messages, count);
  writeNode(0, count, 0, root);
}

/** Where the path of each leaf goes on below its branch. */
function findDepths(from: u32, to: u32, depth: u32): void {
  if (to - from == 1) return store<u32>(depths + 4 * from, depth);
  const fork = findFork(from, to, depth);
  for (let start = from; start < to; ) {
    const end = endOfChild(start, to, fork);
    findDepths(start, end, fork + 1);
    start = end;
  }
}

/** Writes the head of a leaf before its value: the leaf is the list of its path and its value. */
function addLeaf(messages: usize, place: u32): void {
  const index = indexAt(place);
  const value: usize = load<u32>(values + VALUE_SIZE * index);
  const length = load<u32>(values + VALUE_SIZE * index, 4);
  const end = value + length;
  rlp.startAt(value);
  rlp.header(length, 0x80);
  const depth = load<u32>(depths + 4 * place);
  writePath(index, depth, pathLength(index), 0x20);
  rlp.list(end);
  addMessage(messages, place, rlp.written(), <u32>(end - rlp.written()), digests + 32 * place);
}

/** Digest of the node of leaves [from, to) below `depth`. */
function writeNode(from: u32, to: u32, depth: u32, digest: usize): void {
  if (to - from == 1) return memory.copy(digest, digests + 32 * from, 32);
  const fork = findFork(from, to, depth);
  const frame = room;
  room += 16 * 32 + 640;
  let children: u32 = 0;
  for (let start = from; start < to; ) {
    const nibble = nibbleOf(indexAt(start), fork);
    const end = endOfChild(start, to, fork);
    writeNode(start, end, fork + 1, frame + 32 * nibble);
    children |= 1 << nibble;
    start = end;
  }
  const end = frame + 16 * 32 + 600;
  rlp.startAt(end);
  rlp.byte(0x80); // no key ends at a branch: rlp(index) is prefix-free
  for (let nibble: i32 = 15; nibble >= 0; nibble--) {
    if (((children >> nibble) & 1) == 0) {
      rlp.byte(0x80);
      continue;
    }
    rlp.bytes(frame + 32 * nibble, 32);
    rlp.byte(0xa0);
  }
  rlp.list(end);
  hashOne(end, digest);
  if (fork > depth) {
    rlp.startAt(end);
    rlp.bytes(digest, 32);
    rlp.byte(0xa0);
    writePath(indexAt(from), depth, fork, 0x00);
    rlp.list(end);
    hashOne(end, digest);
  }
  room = frame;
}

/** Digest of what was written before `end`. */
function hashOne(end: usize, digest: usize): void {
  addMessage(end, 0, rlp.written(), <u32>(end - rlp.written()), digest);
  hashAll(end, 1);
}

/** Hex-prefix encoding of a part of a path (appendix C), as a byte string; `flag` is 0x20 for a leaf. */
function writePath(index: u32, from: u32, to: u32, flag: u32): void {
  const isOdd = (to - from) & 1;
  const length = (to - from) / 2 + 1;
  for (let i = to; i > from + isOdd; i -= 2) rlp.byte((nibbleOf(index, i - 2) << 4) | nibbleOf(index, i - 1));
  const first = isOdd ? flag | 0x10 | nibbleOf(index, from) : flag;
  rlp.byte(first);
  // One byte here is below 0x80: the flag is at most 0x3f.
  if (length > 1) rlp.header(length, 0x80);
}

function findFork(from: u32, to: u32, depth: u32): u32 {
  const first = indexAt(from);
  const last = indexAt(to - 1);
  let fork = depth;
  while (nibbleOf(first, fork) == nibbleOf(last, fork)) fork++;
  return fork;
}

function endOfChild(start: u32, to: u32, fork: u32): u32 {
  const nibble = nibbleOf(indexAt(start), fork);
  let end = start + 1;
  while (end < to && nibbleOf(indexAt(end), fork) == nibble) end++;
  return end;
}

/** Index of the value at a place in the order of the keys: rlp(0) is 0x80, between 0x7f and 0x8180. */
@inline
function indexAt(place: u32): u32 {
  const low = min(count, 128) - 1;
  return place < low ? place + 1 : place == low ? 0 : place;
}

@inline
function pathLength(index: u32): u32 {
  return index < 128 ? 2 : index < 256 ? 4 : 6;
}

/** Of rlp(index), for an index below 65,536. */
@inline
function nibbleOf(index: u32, depth: u32): u32 {
  const key: u32 = index == 0 ? 0x800000 : index < 128 ? index << 16 : index < 256 ? 0x810000 | (index << 8) : 0x820000 | index;
  return (key >> (20 - 4 * depth)) & 15;
}
