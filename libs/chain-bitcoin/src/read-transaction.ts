// SPDX-License-Identifier: Apache-2.0
import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { Outpoint, UtxoOutput } from '@chainwatch/chain-core';
import type { ByteReader } from './byte-reader.ts';
import { hash256, toHashText } from './hash.ts';
import { skipTokenPrefix } from './token-prefix.ts';
import { MWEB_FLAG, SEGWIT_FORMAT, WITNESS_FLAG } from './transaction-format.ts';
import type { TransactionFormat } from './transaction-format.ts';

/** A transaction as it stands in the bytes of a block (BIP-144). */
export interface RawTransaction {
  /** Hash over everything but the witness and what concerns an extension block, in byte order. */
  readonly txidBytes: Buffer;
  /** What the txid is the hash of. */
  readonly stripped: Buffer;
  /** Hash with the witness; the txid where there is none. */
  readonly wtxidBytes: Buffer;
  readonly hasWitness: boolean;
  /** The witness of the first input, for the coinbase's reserved value. */
  readonly firstWitness: readonly Buffer[];
  readonly isCoinbase: boolean;
  /** It moves coins between the chain and its extension block, and is the last one of its block (LIP-2). */
  readonly isHogEx: boolean;
  /** None for a coinbase. */
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly UtxoOutput[];
}

/** The bytes behind the marker have an unknown layout: a flag other than that of the witness (BIP-144). */
export class UnknownEncodingError extends IncompleteBlockError {
  readonly flag: number;
  constructor(flag: number, at: number) {
    super(`expected a transaction with a known flag or none at ${at}, got ${flag}`);
    this.flag = flag;
  }
}

/**
 * The flag behind the marker at `at`, 0 without a marker. The marker is a count of 0 inputs, which no
 * transaction in a block has; a flag of 1 announces a witness.
 * @throws UnknownEncodingError
 */
export function expectKnownEncoding(
  bytes: Buffer,
  at: number,
  { hasWitness, hasMweb }: TransactionFormat = SEGWIT_FORMAT,
): number {
  const flag = bytes[at] === 0 ? (bytes[at + 1] ?? 0) : 0;
  const known = (hasWitness ? WITNESS_FLAG : 0) | (hasMweb ? MWEB_FLAG : 0);
  if ((flag & ~known) !== 0) throw new UnknownEncodingError(flag, at);
  return flag;
}

const INPUT_BYTES_MIN = 41;
const OUTPUT_BYTES_MIN = 9;
const WITNESS_MARK = Buffer.of(0, WITNESS_FLAG);
const noOutpoint = `${'0'.repeat(64)}:4294967295`;

/**
 * Reads one transaction.
 * @param isAlone the bytes end with it, as those of the mempool do
 * @throws UnknownEncodingError, IncompleteBlockError when the bytes are no transaction
 */
export function readTransaction(
  reader: ByteReader,
  format: TransactionFormat = SEGWIT_FORMAT,
  isAlone = false,
): RawTransaction {
  const { bytes } = reader;
  const start = reader.skip(4);
  const flag = expectKnownEncoding(bytes, reader.at, format);
  const hasWitness = (flag & WITNESS_FLAG) !== 0;
  const hasMweb = (flag & MWEB_FLAG) !== 0;
  if (flag !== 0) reader.skip(2);
  const bodyStart = reader.at;
  // A transaction within the extension block alone has no inputs here, and is never in a block itself.
  if (hasMweb && bytes[bodyStart] === 0) throw new UnknownEncodingError(flag, bodyStart);
  const outpoints = readInputs(reader);
  const outputs = readOutputs(reader, format.hasTokens);
  const bodyEnd = reader.at;
  const witness = hasWitness ? readWitness(reader, outpoints.length) : [];
  const witnessEnd = reader.at;
  if (hasMweb) skipMweb(reader, flag, isAlone);
  const end = reader.skip(4) + 4;
  const lockTime = bytes.subarray(end - 4, end);
  const version = bytes.subarray(start, start + 4);
  const stripped =
    flag === 0
      ? bytes.subarray(start, end)
      : Buffer.concat([version, bytes.subarray(bodyStart, bodyEnd), lockTime]);
  const txidBytes = hash256(stripped);
  const withWitness = hasMweb
    ? Buffer.concat([version, WITNESS_MARK, bytes.subarray(bodyStart, witnessEnd), lockTime])
    : bytes.subarray(start, end);
  const isCoinbase = outpoints.length === 1 && `${outpoints[0]?.txid}:${outpoints[0]?.vout}` === noOutpoint;
  return {
    txidBytes,
    stripped,
    wtxidBytes: hasWitness ? hash256(withWitness) : txidBytes,
    hasWitness,
    firstWitness: witness,
    isCoinbase,
    isHogEx: hasMweb && !isAlone,
    inputs: isCoinbase ? [] : outpoints,
    outputs,
  };
}

/**
 * In a block only the transaction that moves coins between both has the flag, with nothing behind it: what the others had is
 * in the extension block. Outside of a block it reaches to the lock time.
 */
function skipMweb(reader: ByteReader, flag: number, isAlone: boolean): void {
  if (isAlone) reader.skip(reader.left - 4);
  else if (reader.bytes[reader.skip(1)] !== 0) throw new UnknownEncodingError(flag, reader.at - 1);
}

function readInputs(reader: ByteReader): Outpoint[] {
  const count = reader.readCount(INPUT_BYTES_MIN);
  if (count === 0)
    throw new IncompleteBlockError(`expected a transaction with inputs at ${reader.at}, got none`);
  const inputs: Outpoint[] = [];
  for (let index = 0; index < count; index++) {
    const txid = toHashText(reader.bytes, reader.skip(32));
    inputs.push({ txid, vout: reader.readUint32() });
    reader.skip(reader.readCompactSize());
    reader.skip(4);
  }
  return inputs;
}

function readOutputs(reader: ByteReader, hasTokens: boolean): UtxoOutput[] {
  const count = reader.readCount(OUTPUT_BYTES_MIN);
  const outputs: UtxoOutput[] = [];
  for (let index = 0; index < count; index++) {
    const amountRaw = reader.readUint64();
    const length = reader.readCompactSize();
    const from = reader.skip(length);
    const end = from + length;
    const scriptAt = hasTokens ? from + skipTokenPrefix(reader.bytes.subarray(from, end)) : from;
    outputs.push({ matchKey: reader.bytes.toString('hex', scriptAt, end), amountRaw });
  }
  return outputs;
}

/** Keeps the first input's items only, which is all that the proof of a block needs. */
function readWitness(reader: ByteReader, inputCount: number): Buffer[] {
  const first: Buffer[] = [];
  let itemCount = 0;
  for (let input = 0; input < inputCount; input++) {
    const count = reader.readCount(1);
    itemCount += count;
    for (let index = 0; index < count; index++) {
      const length = reader.readCompactSize();
      const from = reader.skip(length);
      if (input === 0) first.push(reader.bytes.subarray(from, from + length));
    }
  }
  if (itemCount === 0)
    throw new IncompleteBlockError(`expected a witness at ${reader.at}, got an empty one for every input`);
  return first;
}
