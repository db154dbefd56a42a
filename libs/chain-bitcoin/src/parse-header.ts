// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { BitcoinTraits } from './bitcoin-traits.ts';
import { ByteReader } from './byte-reader.ts';
import { hash256, scryptHash, toHashText } from './hash.ts';
import { readTransaction } from './read-transaction.ts';

/** What the bytes of a header say; they hold no height. */
export interface RawHeader {
  readonly hash: string;
  readonly parentHash: string;
  /** In byte order. */
  readonly merkleRoot: Buffer;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Bytes that it takes: 80, and with merged mining the proof behind them. */
  readonly length: number;
}

export type HeaderTraits = Pick<BitcoinTraits, 'proofOfWork' | 'mergedMining'>;

export const HEADER_LENGTH = 80;
const HASHES = { sha256d: hash256, scrypt: scryptHash } as const;

/**
 * A header from its bytes. Its hash is computed. The work must meet the difficulty that the header claims: its own or, with
 * merged mining, that of the other chain's header that commits to it.
 * @throws IncompleteBlockError when the bytes are too few or the work does not meet the difficulty
 */
export function parseHeader(bytes: Buffer, { proofOfWork, mergedMining }: HeaderTraits): RawHeader {
  if (bytes.length < HEADER_LENGTH)
    throw new IncompleteBlockError(`expected a header of ${HEADER_LENGTH} bytes, got ${bytes.length}`);
  const own = bytes.subarray(0, HEADER_LENGTH);
  const hashBytes = hash256(own);
  const hash = toHashText(hashBytes);
  const reader = new ByteReader(bytes, HEADER_LENGTH);
  const worked =
    mergedMining !== undefined && isMerged(own)
      ? readAuxPow(reader, { header: own, hashBytes, chainId: mergedMining.chainId })
      : own;
  const work = proofOfWork === 'sha256d' && worked === own ? hashBytes : HASHES[proofOfWork](worked);
  const bits = own.readUInt32LE(72);
  if (BigInt(`0x${toHashText(work)}`) > expandTarget(bits)) {
    throw new IncompleteBlockError(
      `header ${hash}: expected a hash at or below the target 0x${bits.toString(16)}, got a higher one`,
    );
  }
  return {
    hash,
    parentHash: toHashText(own, 4),
    merkleRoot: own.subarray(36, 68),
    timestamp: own.readUInt32LE(68),
    length: reader.at,
  };
}

/** The compact form of a target: an exponent of 256 and a signed mantissa of 3 bytes; a negative one is no target. */
function expandTarget(bits: number): bigint {
  const mantissa = BigInt(bits & 0x7fffff);
  const shift = 8n * (BigInt(bits >>> 24) - 3n);
  if ((bits & 0x800000) !== 0 || shift > 256n) return -1n;
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}

// cspell:ignore fabe
const MERGED = 0x100;
const PARENT_LENGTH = 80;
const MERKLE_OFFSET = 36;
/** `fabe` and `mm`: the root of the merged chains follows. */
const MAGIC = Buffer.from('fabe6d6d', 'hex');
/** Without the magic, the root must begin that early in the coinbase. */
const ROOT_AT_MAX = 20;
const CHAINS_DEPTH_MAX = 30;

interface Merged {
  readonly header: Buffer;
  /** Of the header, in byte order. */
  readonly hashBytes: Buffer;
  readonly chainId: number;
}

/** Whether the version of a header says that its work is another chain's (bit 8). */
function isMerged(header: Buffer): boolean {
  return (header.readUInt32LE(0) & MERGED) !== 0;
}

/**
 * Reads what stands behind the 80 bytes of a merged header, and proves that the other chain's header commits to it: a
 * first transaction that names the root of all merged chains, its branch to the other header's merkle root, and this
 * chain's branch to the root of the merged chains, at the only place that its number may have.
 * @returns the 80 bytes of the other header, whose work counts
 * @throws IncompleteBlockError
 */
function readAuxPow(reader: ByteReader, { header, hashBytes, chainId }: Merged): Buffer {
  expectChainId(header, chainId, true);
  const coinbase = readTransaction(reader);
  const script = readFirstScript(coinbase.stripped);
  // The hash of the other block, which its header tells.
  reader.skip(32);
  const branch = readBranch(reader);
  const index = reader.readUint32();
  const chains = readBranch(reader);
  const chainIndex = reader.readUint32();
  const from = reader.skip(PARENT_LENGTH);
  const parent = reader.bytes.subarray(from, from + PARENT_LENGTH);
  expectChainId(parent, chainId, false);
  if (index !== 0) throw fault(`expected the coinbase of the other block, got its transaction ${index}`);
  if (chains.length > CHAINS_DEPTH_MAX)
    throw fault(`expected at most ${CHAINS_DEPTH_MAX} levels of merged chains, got ${chains.length}`);
  const merkleRoot = parent.subarray(MERKLE_OFFSET, MERKLE_OFFSET + 32);
  if (!climb(coinbase.txidBytes, branch, index).equals(merkleRoot))
    throw fault('expected the coinbase in the merkle root of the other header, got another root');
  const root = climb(hashBytes, chains, chainIndex).reverse();
  const [size, nonce] = readCommitment(script, root);
  if (size !== 2 ** chains.length) throw fault(`expected ${2 ** chains.length} merged chains, got ${size}`);
  if (chainIndex !== placeOf({ nonce, chainId, size }))
    throw fault('expected the place of this chain among the merged ones, got another');
  return parent;
}

function expectChainId(header: Buffer, chainId: number, isOwn: boolean): void {
  const got = header.readUInt32LE(0) >>> 16;
  if ((got === chainId) !== isOwn)
    throw fault(`expected ${isOwn ? 'the chain' : 'another chain than'} ${chainId}, got ${got}`);
}

/**
 * Behind the version, the count and the outpoint. Dogecoin Core asks neither for a coinbase nor how long its script is or how
 * many inputs there are: it does not know the rules of the other chain.
 */
function readFirstScript(stripped: Buffer): Buffer {
  const reader = new ByteReader(stripped, 4);
  reader.readCompactSize();
  reader.skip(36);
  const length = reader.readCompactSize();
  const from = reader.skip(length);
  return stripped.subarray(from, from + length);
}

function readBranch(reader: ByteReader): Buffer[] {
  const count = reader.readCount(32);
  return Array.from({ length: count }, () => {
    const from = reader.skip(32);
    return reader.bytes.subarray(from, from + 32);
  });
}

function climb(leaf: Buffer, branch: readonly Buffer[], index: number): Buffer {
  return branch.reduce(
    (node, other, level) =>
      hash256(Buffer.concat(((index >>> level) & 1) === 1 ? [other, node] : [node, other])),
    leaf,
  );
}

/** What stands behind the root in the coinbase: the number of merged chains, and a number that places them. */
function readCommitment(script: Buffer, root: Buffer): [size: number, nonce: number] {
  const at = script.indexOf(root);
  if (at < 0)
    throw fault('expected the root of the merged chains in the coinbase of the other block, got none');
  const magicAt = script.indexOf(MAGIC);
  if (
    magicAt < 0 ? at > ROOT_AT_MAX : magicAt + MAGIC.length !== at || script.indexOf(MAGIC, magicAt + 1) >= 0
  )
    throw fault('expected one root of merged chains in the coinbase of the other block, got perhaps several');
  if (script.length < at + 40)
    throw fault('expected the number of merged chains behind their root, got none');
  return [script.readUInt32LE(at + 32), script.readUInt32LE(at + 36)];
}

/** A chain has one place for each number in the coinbase, so that the same work does not count twice. */
function placeOf({
  nonce,
  chainId,
  size,
}: {
  readonly nonce: number;
  readonly chainId: number;
  readonly size: number;
}): number {
  const step = (value: number): number => (Math.imul(value, 1_103_515_245) + 12_345) >>> 0;
  return step((step(nonce) + chainId) >>> 0) % size;
}

function fault(message: string): IncompleteBlockError {
  return new IncompleteBlockError(`merged mining: ${message}`);
}
