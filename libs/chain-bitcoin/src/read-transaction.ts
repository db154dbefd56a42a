import { IncompleteBlockError } from '@chainwatch/chain-core';
import type { Outpoint, UtxoOutput } from '@chainwatch/chain-core';
import type { ByteReader } from './byte-reader.ts';
import { hash256, toHashText } from './hash.ts';

/** A transaction as it stands in the bytes of a block (BIP-144). */
export interface RawTransaction {
  /** Hash over everything but the witness, in byte order. */
  readonly txidBytes: Buffer;
  /** Hash over everything; the txid where there is no witness. */
  readonly wtxidBytes: Buffer;
  readonly hasWitness: boolean;
  /** The witness of the first input, for the coinbase's reserved value. */
  readonly firstWitness: readonly Buffer[];
  readonly isCoinbase: boolean;
  /** None for a coinbase. */
  readonly inputs: readonly Outpoint[];
  readonly outputs: readonly UtxoOutput[];
}

/** The bytes behind the marker have an unknown layout: a flag other than that of the witness (BIP-144). */
export class UnknownEncodingError extends IncompleteBlockError {
  readonly flag: number;
  constructor(flag: number, at: number) {
    super(`expected a transaction with the flag 1 or none at ${at}, got ${flag}`);
    this.flag = flag;
  }
}

/**
 * The flag behind the marker at `at`, 0 without a marker. The marker is a count of 0 inputs, which no
 * transaction in a block has; a flag of 1 announces a witness.
 * @throws UnknownEncodingError
 */
export function expectKnownEncoding(bytes: Buffer, at: number): number {
  const flag = bytes[at] === 0 ? (bytes[at + 1] ?? 0) : 0;
  if (flag > 1) throw new UnknownEncodingError(flag, at);
  return flag;
}

const INPUT_BYTES_MIN = 41;
const OUTPUT_BYTES_MIN = 9;
const noOutpoint = `${'0'.repeat(64)}:4294967295`;

/** Reads one transaction. @throws UnknownEncodingError, IncompleteBlockError when the bytes are no transaction */
export function readTransaction(reader: ByteReader): RawTransaction {
  const { bytes } = reader;
  const start = reader.skip(4);
  const hasWitness = expectKnownEncoding(bytes, reader.at) === 1;
  if (hasWitness) reader.skip(2);
  const bodyStart = reader.at;
  const outpoints = readInputs(reader);
  const outputs = readOutputs(reader);
  const bodyEnd = reader.at;
  const witness = hasWitness ? readWitness(reader, outpoints.length) : [];
  const end = reader.skip(4) + 4;
  const whole = bytes.subarray(start, end);
  const txidBytes = hash256(
    hasWitness
      ? Buffer.concat([
          bytes.subarray(start, start + 4),
          bytes.subarray(bodyStart, bodyEnd),
          bytes.subarray(end - 4, end),
        ])
      : whole,
  );
  const isCoinbase = outpoints.length === 1 && `${outpoints[0]?.txid}:${outpoints[0]?.vout}` === noOutpoint;
  return {
    txidBytes,
    wtxidBytes: hasWitness ? hash256(whole) : txidBytes,
    hasWitness,
    firstWitness: witness,
    isCoinbase,
    inputs: isCoinbase ? [] : outpoints,
    outputs,
  };
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

function readOutputs(reader: ByteReader): UtxoOutput[] {
  const count = reader.readCount(OUTPUT_BYTES_MIN);
  const outputs: UtxoOutput[] = [];
  for (let index = 0; index < count; index++) {
    const amountRaw = reader.readUint64();
    const length = reader.readCompactSize();
    const from = reader.skip(length);
    outputs.push({ matchKey: reader.bytes.toString('hex', from, from + length), amountRaw });
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
