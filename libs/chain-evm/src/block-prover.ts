import { blockProverWasm } from './block-prover-wasm.ts';

// The module of ../assembly: `npm run build:wasm` makes block-prover-wasm.ts of it.

/** What of WebAssembly is used: Node's types lack it. */
interface WasmGlobal {
  readonly WebAssembly: {
    readonly Module: new (bytes: Uint8Array) => object;
    readonly Instance: new (module: object) => { readonly exports: unknown };
    readonly RuntimeError: ErrorConstructor;
  };
}

interface ProverExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  prepare(bodyLength: number, receiptsLength: number): number;
  scanAnswers(): number;
  reserve(length: number): number;
  prove(): void;
}

/** What a block has to be copied from. */
export interface Source {
  readonly length: number;
  copyTo(target: Uint8Array, at: number): void;
}

/** Encodes what the module does not know: item `index` of the block and its receipt, as JSON texts. */
export type EncodeForeign = (index: number, transaction: string, receipt: string) => Foreign | undefined;

export interface Foreign {
  readonly transaction: Uint8Array;
  /** Where the receipt's encoding has fields of its own. */
  readonly receipt?: Uint8Array;
}

export interface ScannedBlock {
  /** JSON of the block with an empty list of transactions. */
  readonly header: string;
  /** With prefix, from the transactions and receipts that were found. */
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  /** That of an empty list where the block has no withdrawals. */
  readonly withdrawalsRoot: string;
  readonly count: number;
  /** Of the transactions, 66 characters each, one after the other. */
  readonly hashes: string;
  /** Five numbers each: start and end of a transaction in its answer, of its receipt in its own, and the logs before it. */
  readonly spans: Uint32Array;
  /** Addresses of 42 characters, one after the other: senders, recipients of native value, sides of token transfers. */
  readonly participants: string;
  /** Index of each participant's transaction, ascending. */
  readonly owners: Uint32Array;
  /** Contracts that logged something that may have moved balances. */
  readonly touched: Set<string>;
}

/** Larger answers are read the other way, and the module's memory, which never shrinks, stays small. */
const bytesMax = 32 * 1024 * 1024;
/** Then a new instance takes its place; 512 MB are the most it can have. */
const memoryMax = 96 * 1024 * 1024;
export const addressLength = 42;
export const hashLength = 66;
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

// Rows of transactions and receipts: assembly/rows.ts.
const transactionSize = 160;
const receiptSize = 160;
const foreignAt = 12;
const encodingAt = 16;

const { Module, Instance, RuntimeError } = (globalThis as unknown as WasmGlobal).WebAssembly;
const module = compile();
let exports: ProverExports | undefined;

/** Undefined where the processor has no SIMD. */
function compile(): object | undefined {
  try {
    return new Module(Buffer.from(blockProverWasm, 'base64'));
  } catch {
    return undefined;
  }
}

/**
 * Scans two JSON-RPC answers, or the list of both (then `body` and `receipts` are the same), and proves what no header
 * covers: that every transaction has its hash, and that every receipt belongs to its transaction and to the block `hash`.
 * Whether the roots are the header's is for the caller to compare.
 *
 * @returns undefined where it cannot tell: something is wrong, or merely not as most nodes write it
 */
export function scanBlock(
  body: Source,
  receipts: Source,
  hash: string,
  encodeForeign: EncodeForeign,
): ScannedBlock | undefined {
  const receiptsLength = receipts === body ? 0 : receipts.length;
  if (module === undefined || body.length + receiptsLength > bytesMax) return undefined;
  exports ??= new Instance(module).exports as ProverExports;
  const prover = exports;
  try {
    const report = prover.prepare(body.length, receiptsLength);
    const [hashAt = 0, bodyAt = 0, receiptsAt = 0] = numbersAt(prover, report + 64, 3);
    const bytes = bytesOf(prover);
    bytes.write(hash, hashAt, 66, 'latin1');
    body.copyTo(bytes, bodyAt);
    if (receiptsLength > 0) receipts.copyTo(bytes, receiptsAt);
    if (prover.scanAnswers() > 0 && !addForeign(prover, report, encodeForeign)) return undefined;
    prover.prove();
    return readReport(prover, report);
  } catch (error) {
    // The module traps where it does not say yes.
    if (error instanceof RuntimeError || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    if (prover.memory.buffer.byteLength > memoryMax) exports = undefined;
  }
}

function addForeign(prover: ProverExports, report: number, encodeForeign: EncodeForeign): boolean {
  const [count = 0, transactions = 0, receipts = 0] = numbersAt(prover, report + 76, 3);
  for (let index = 0; index < count; index++) {
    const transaction = transactions + transactionSize * index;
    const receipt = receipts + receiptSize * index;
    if (numbersAt(prover, transaction + foreignAt, 1)[0] === 0) continue;
    const encoded = encodeForeign(index, textOf(prover, transaction), textOf(prover, receipt));
    if (encoded === undefined) return false;
    addEncoding(prover, transaction, encoded.transaction);
    if (encoded.receipt !== undefined) addEncoding(prover, receipt, encoded.receipt);
  }
  return true;
}

/** Of the object that a row begins with. */
function textOf(prover: ProverExports, row: number): string {
  const [start, end] = numbersAt(prover, row, 2);
  return bytesOf(prover).toString('latin1', start, end);
}

function addEncoding(prover: ProverExports, row: number, encoding: Uint8Array): void {
  const at = prover.reserve(encoding.length);
  bytesOf(prover).set(encoding, at);
  numbersAt(prover, row + encodingAt, 2).set([at, encoding.length]);
}

function readReport(prover: ProverExports, report: number): ScannedBlock {
  const bytes = bytesOf(prover);
  const [
    count = 0,
    ,
    ,
    blockStart,
    listStart,
    listEnd,
    blockEnd,
    participantsAt = 0,
    found = 0,
    ownersAt = 0,
    touchedAt = 0,
    touchedCount = 0,
    spansOff = 0,
    withdrawals = 0,
  ] = numbersAt(prover, report + 76, 14);
  const [hashesAt = 0] = numbersAt(prover, report + 164, 1);
  const touched = new Set<string>();
  for (let at = touchedAt; at < touchedAt + addressLength * touchedCount; at += addressLength)
    touched.add(bytes.toString('latin1', at, at + addressLength));
  return {
    header: `${bytes.toString('latin1', blockStart, listStart)}[]${bytes.toString('latin1', listEnd, blockEnd)}`,
    transactionsRoot: `0x${bytes.toString('hex', report, report + 32)}`,
    receiptsRoot: `0x${bytes.toString('hex', report + 32, report + 64)}`,
    withdrawalsRoot: withdrawals === 0 ? emptyRoot : `0x${bytes.toString('hex', report + 132, report + 164)}`,
    count,
    hashes: bytes.toString('latin1', hashesAt, hashesAt + hashLength * count),
    spans: numbersAt(prover, spansOff, 5 * count).slice(),
    participants: bytes.toString('latin1', participantsAt, participantsAt + addressLength * found),
    owners: numbersAt(prover, ownersAt, found).slice(),
    touched,
  };
}

/** The module's memory, valid until it grows. */
function bytesOf({ memory }: ProverExports): Buffer {
  return Buffer.from(memory.buffer);
}

function numbersAt({ memory }: ProverExports, at: number, count: number): Uint32Array {
  return new Uint32Array(memory.buffer, at, count);
}
