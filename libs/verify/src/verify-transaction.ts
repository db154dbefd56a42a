// SPDX-License-Identifier: Apache-2.0
import {
  fail,
  reasonOf,
  type Proof,
  type ProvedTransaction,
  partsOf,
  toProved,
  type ProvedTransfer,
} from './proof.ts';
import { verifyMpt } from './verify-mpt.ts';
import { verifySignedMerkle } from './verify-signed-merkle.ts';
import { sha256 } from '@noble/hashes/sha2.js';
import { isSame, join, toBytes, toHex } from './bytes.ts';

const HEADER_BYTES = 80;
const ROOT_AT = 36;
/** Two hashes of a tree look like a transaction of as many bytes. */
const NODE_BYTES = 64;

/** Bitcoin: the header's hash, and one tree over transaction and coinbase. @throws InvalidProofError */
function verifyMerkle(proof: Proof): ProvedTransaction {
  const { header, branch, item } = partsOf(proof);
  const bytes = toBytes('header', header);
  if (bytes.length !== HEADER_BYTES) fail(`header: expected ${HEADER_BYTES} bytes, got ${bytes.length}`);
  if (toText(hash256(bytes)) !== proof.block_hash) fail('header: its hash is not block_hash');
  const root = bytes.subarray(ROOT_AT, ROOT_AT + 32);
  const transaction = toBytes('item.transaction', item.transaction);
  const coinbase = toBytes('item.coinbase', item.coinbase);
  if (toText(hash256(transaction)) !== proof.hash) fail('item.transaction: its hash is not hash');
  const paths = [branch.transaction, branch.coinbase ?? []];
  if (paths[0]!.length !== paths[1]!.length)
    fail('branch: transaction and coinbase are not on the same level of the tree');
  if (transaction.length === NODE_BYTES || coinbase.length === NODE_BYTES)
    fail('item: 64 bytes may be an inner node of the tree');
  climb('transaction', { leaf: hash256(transaction), index: item.index, path: paths[0]!, root });
  climb('coinbase', { leaf: hash256(coinbase), index: 0, path: paths[1]!, root });
  if (!isCoinbase(coinbase)) fail('item.coinbase: it spends an output');
  if (readVersion(bytes) >= 2 && heightIn(coinbase) !== proof.block_number)
    fail('item.coinbase: it does not begin with block_number (BIP 34)');
  return toProved(proof, {
    index: item.index,
    isFailed: false,
    transfers: readOutputs(transaction),
  });
}

interface Leaf {
  readonly leaf: Uint8Array;
  readonly index: number;
  readonly path: readonly (string | null)[];
  readonly root: Uint8Array;
}

function climb(member: string, { leaf, index, path, root }: Leaf): void {
  let [hash, at] = [leaf, index];
  for (const text of path) {
    const sibling = toBytes(`branch.${member}`, text);
    if (sibling.length !== 32) fail(`branch.${member}: expected hashes of 32 bytes`);
    // A copy of itself on its right is the end of an odd level; on its left it would be a second place of one transaction.
    if (at % 2 === 1 && isSame(sibling, hash)) fail(`branch.${member}: a transaction stands twice`);
    hash = hash256(at % 2 === 0 ? join(hash, sibling) : join(sibling, hash));
    at = Math.floor(at / 2);
  }
  if (at !== 0) fail(`item.index: the tree has no place ${index}`);
  if (!isSame(hash, root)) fail(`branch.${member}: it does not lead to the root in the header`);
}

function isCoinbase(bytes: Uint8Array): boolean {
  const outpoint = bytes.subarray(5, 41);
  return (
    bytes[4] === 1 &&
    outpoint.subarray(0, 32).every((byte) => byte === 0) &&
    outpoint.subarray(32).every((byte) => byte === 0xff)
  );
}

const readVersion = (header: Uint8Array): number =>
  new DataView(header.buffer, header.byteOffset, header.byteLength).getInt32(0, true);

/** The number that its script begins with. Blocks before version 2 begin with anything. */
function heightIn(coinbase: Uint8Array): number | undefined {
  const [size, first] = [coinbase[41] ?? 0, coinbase[42] ?? 0];
  if (size === 0) return undefined;
  if (first === 0) return 0;
  if (first > 0x50 && first <= 0x60) return first - 0x50;
  if (first > 6 || first >= size) return undefined;
  return coinbase.subarray(43, 43 + first).reduce((sum, byte, place) => sum + byte * 256 ** place, 0);
}

/** Outputs of a transaction without witness. @throws InvalidProofError where the bytes are none, or more than one */
function readOutputs(bytes: Uint8Array): ProvedTransfer[] {
  let at = 4;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const take = (count: number): number => {
    const from = at;
    at += count;
    if (!Number.isSafeInteger(at) || at > bytes.length) fail('item.transaction: its bytes end too early');
    return from;
  };
  const readSize = (): number => {
    const first = bytes[take(1)]!;
    if (first < 0xfd) return first;
    if (first === 0xfd) return view.getUint16(take(2), true);
    if (first === 0xfe) return view.getUint32(take(4), true);
    return Number(view.getBigUint64(take(8), true));
  };
  for (let left = readSize(); left > 0; left -= 1) {
    take(36);
    take(readSize());
    take(4);
  }
  const outputs: ProvedTransfer[] = [];
  for (let left = readSize(); left > 0; left -= 1) {
    const amountRaw = view.getBigUint64(take(8), true);
    const size = readSize();
    const from = take(size);
    outputs.push({ type: 'native', script: toHex(bytes.subarray(from, from + size)), amountRaw });
  }
  take(4);
  if (at !== bytes.length) fail('item.transaction: bytes are left behind its end');
  return outputs;
}

const hash256 = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));
/** Hashes are written from their last byte on. */
const toText = (hash: Uint8Array): string => toHex(hash.slice().reverse());

/** Where the block's hash comes from: never from the service that gave the proof. */
export type Trust =
  | { readonly trustedBlockHash: string }
  | {
      /** The hash of the block at this height, from a node or an explorer of your own. */
      readonly getBlockHash: (blockNumber: number, chainGid: string) => string | Promise<string>;
    };

/**
 * What the proof shows, decoded from its bytes: the transaction is in the block whose hash you trust. It does not show that
 * nothing else happened, nor that the chain keeps the block.
 *
 * @example
 * const { transfers } = await verifyTransaction(proof, { getBlockHash: (number) => myNode.blockHash(number) });
 * @throws InvalidProofError that says what does not hold
 */
export async function verifyTransaction(proof: Proof, trust: Trust): Promise<ProvedTransaction> {
  if (typeof proof !== 'object' || proof === null) return fail('expected a proof');
  for (const member of ['type', 'chain_gid', 'hash', 'block_hash'] as const)
    if (typeof proof[member] !== 'string')
      return fail(`${member}: expected a text, got ${typeof proof[member]}`);
  const verify = VERIFIERS.get(proof.type);
  if (verify === undefined)
    return fail(reasonOf(proof) ?? `type: ${proof.type} is not known here, so that it shows nothing`);
  if (!Number.isSafeInteger(proof.block_number) || proof.block_number < 0)
    return fail('block_number: expected a whole number from 0');
  const trusted =
    'trustedBlockHash' in trust
      ? trust.trustedBlockHash
      : await trust.getBlockHash(proof.block_number, proof.chain_gid);
  if (typeof trusted !== 'string')
    return fail(`block_hash: expected the hash that you trust, got ${String(trusted)}`);
  if (trusted.toLowerCase() !== proof.block_hash)
    return fail(`block_hash: expected ${trusted}, which you trust, got ${proof.block_hash}`);
  try {
    return verify(proof);
  } catch (error) {
    // A member of another kind than a proof has.
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)
      return fail(`expected the members of a proof: ${error.message}`);
    throw error;
  }
}

type Verify = (proof: Proof) => ProvedTransaction;

/** A map: the type is the proof's own word, and an object has more names than these. */
const VERIFIERS: ReadonlyMap<string, Verify> = new Map([
  ['mpt', verifyMpt],
  ['merkle', verifyMerkle],
  ['signed_merkle', verifySignedMerkle],
]);
