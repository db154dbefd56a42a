// SPDX-License-Identifier: Apache-2.0
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { isSame, join, toBytes, toHex } from './bytes.ts';
import { fail, partsOf, toProved, type Proof, type ProvedTransaction, type ProvedTransfer } from './proof.ts';

/** Fields of `BlockHeader.raw`. */
const [ROOT, NUMBER, PRODUCER] = [2, 7, 9];
/** Of `Transaction`: raw data and results; of its raw data: contracts. */
const [RAW_DATA, RESULTS, CONTRACTS] = [1, 5, 11];
const SUCCESS = 1n;
const MAIN_PREFIX = 0x41;

/**
 * TRON: the block's id covers the header, a key signed it, and its tree covers the transaction with its result. What
 * contracts moved stands in logs, which nothing covers. @throws InvalidProofError
 */
export function verifySignedMerkle(proof: Proof): ProvedTransaction {
  const { header, branch, item } = partsOf(proof);
  const bytes = toBytes('header', header);
  const digest = sha256(bytes);
  const fields = readFields('header', bytes);
  const number = intAt(fields, NUMBER);
  if (number !== BigInt(proof.block_number)) fail('header: its number is not block_number');
  if (`${number.toString(16).padStart(16, '0')}${toHex(digest).slice(16)}` !== proof.block_hash)
    fail('header: its id is not block_hash');
  const transaction = toBytes('item.transaction', item.transaction);
  climb(sha256(transaction), { index: item.index, path: branch.transaction, root: bytesAt(fields, ROOT) });
  const parts = readFields('item.transaction', transaction);
  const rawData = bytesAt(parts, RAW_DATA);
  if (toHex(sha256(rawData)) !== proof.hash) fail('item.transaction: its hash is not hash');
  const results = parts.filter((part) => part.number === RESULTS).map(({ value }) => value as Uint8Array);
  // `contractRet` of a plain payment may be left out, which means the same as SUCCESS.
  const isFailed = results.some((result) => {
    const outcome = readFields('item.transaction', result);
    return intAt(outcome, 2) !== 0n || ![0n, SUCCESS].includes(intAt(outcome, 3));
  });
  return toProved(proof, {
    index: item.index,
    isFailed,
    ...(proof.signature !== undefined && {
      producer: {
        address: toHex(bytesAt(fields, PRODUCER)),
        signer: recoverSigner(digest, toBytes('signature', proof.signature)),
      },
    }),
    transfers: isFailed
      ? []
      : readFields('item.transaction', rawData)
          .filter((part) => part.number === CONTRACTS)
          .flatMap(({ value }) => readMove(value as Uint8Array)),
  });
}

interface Place {
  readonly index: number;
  readonly path: readonly (string | null)[];
  readonly root: Uint8Array;
}

/** An odd hash at the end of a level goes up as it is: how many do is not proved, and so neither is the index. */
function climb(leaf: Uint8Array, { index, path, root }: Place): void {
  let [hash, at] = [leaf, index];
  for (const text of path) {
    if (text !== null) {
      const sibling = toBytes('branch.transaction', text);
      if (sibling.length !== 32) fail('branch.transaction: expected hashes of 32 bytes');
      hash = sha256(at % 2 === 0 ? join(hash, sibling) : join(sibling, hash));
    } else if (at % 2 === 1) fail('branch.transaction: only the last of a level has no sibling');
    at = Math.floor(at / 2);
  }
  if (at !== 0) fail(`item.index: the tree has no place ${index}`);
  if (!isSame(hash, root)) fail('branch.transaction: it does not lead to the root in the header');
}

/** The address of the key that signed. @throws InvalidProofError */
function recoverSigner(digest: Uint8Array, signature: Uint8Array): string {
  if (signature.length !== 65) fail(`signature: expected 65 bytes, got ${signature.length}`);
  try {
    const key = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact')
      .addRecoveryBit(signature[64]! % 27)
      .recoverPublicKey(digest)
      .toBytes(false);
    return toHex(join(Uint8Array.of(MAIN_PREFIX), keccak_256(key.subarray(1)).subarray(12)));
  } catch {
    return fail('signature: it is none of the header');
  }
}

/** TRX and TRC-10; other contracts show no amount of their own. */
function readMove(contract: Uint8Array): ProvedTransfer[] {
  const fields = readFields('item.transaction', contract);
  const kind = intAt(fields, 1);
  const value = readFields(
    'item.transaction',
    bytesAt(readFields('item.transaction', bytesAt(fields, 2)), 2),
  );
  if (kind === 1n)
    return [
      {
        type: 'native',
        from: toHex(bytesAt(value, 1)),
        to: toHex(bytesAt(value, 2)),
        amountRaw: intAt(value, 3),
      },
    ];
  if (kind !== 2n) return [];
  const token = new TextDecoder().decode(bytesAt(value, 1));
  return [
    {
      type: 'token',
      token,
      from: toHex(bytesAt(value, 2)),
      to: toHex(bytesAt(value, 3)),
      amountRaw: intAt(value, 4),
    },
  ];
}

interface Field {
  readonly number: number;
  /** A whole number, or bytes. */
  readonly value: bigint | Uint8Array;
}

/** Fields of a message of protobuf, in their order. @throws InvalidProofError */
export function readFields(member: string, bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const readVarint = (max: bigint): bigint => {
    const from = at;
    let [value, shift] = [0n, 0n];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) return fail(`${member}: expected a message of protobuf`);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) {
        // Parsers cut longer forms, and differ in how.
        if (value > max || (byte === 0 && at - from > 1))
          return fail(`${member}: a number is not in its shortest form`);
        return value;
      }
      shift += 7n;
      if (shift > 63n) return fail(`${member}: expected a message of protobuf`);
    }
  };
  while (at < bytes.length) {
    const key = Number(readVarint(MAX_32));
    const number = key >>> 3;
    if (number === 0) fail(`${member}: no field has the number 0`);
    if ((key & 7) === 0) fields.push({ number, value: readVarint(MAX_64) });
    else if ((key & 7) === 2) {
      const size = Number(readVarint(MAX_32));
      if (at + size > bytes.length) fail(`${member}: its bytes end too early`);
      fields.push({ number, value: bytes.subarray(at, at + size) });
      at += size;
    } else fail(`${member}: expected numbers and bytes alone`);
  }
  return fields;
}

const [MAX_32, MAX_64] = [2n ** 32n - 1n, 2n ** 64n - 1n];

/** @throws InvalidProofError where it stands twice: parsers take the last one, or join them */
export function bytesAt(fields: readonly Field[], number: number): Uint8Array {
  const value = onlyAt(fields, number);
  if (typeof value === 'bigint') return fail(`expected bytes in field ${number} of a message, got a number`);
  return value ?? new Uint8Array();
}

/** @throws InvalidProofError where it stands twice */
export function intAt(fields: readonly Field[], number: number): bigint {
  const value = onlyAt(fields, number);
  if (value instanceof Uint8Array)
    return fail(`expected a number in field ${number} of a message, got bytes`);
  return value ?? 0n;
}

function onlyAt(fields: readonly Field[], number: number): Field['value'] | undefined {
  const [first, second] = fields.filter((field) => field.number === number);
  if (second !== undefined) fail(`field ${number} of a message stands twice`);
  return first?.value;
}
