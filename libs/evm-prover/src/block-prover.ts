import { readFileSync } from 'node:fs';
import { layout } from './layout.ts';

/** The part of the WebAssembly API that is used; Node's types lack it. */
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

/** Bytes that can be copied into the module's memory. */
export interface Source {
  readonly length: number;
  copyTo(target: Uint8Array, at: number): void;
}

/** Encodes an item that the module cannot: transaction `index` of the block and its receipt, given as JSON texts. */
export type EncodeForeign = (index: number, transaction: string, receipt: string) => Foreign | undefined;

export interface Foreign {
  readonly transaction: Uint8Array;
  /** Only where the receipt's encoding has fields of its own. */
  readonly receipt?: Uint8Array;
}

export interface ScannedBlock {
  /** JSON of the block with an empty list of transactions. */
  readonly header: string;
  /** With prefix, from the transactions and receipts that were found. */
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  /** The root of an empty list where the block has no withdrawals. */
  readonly withdrawalsRoot: string;
  readonly count: number;
  /** Hashes of the transactions, 66 characters each, one after the other. */
  readonly hashes: string;
  /**
   * Five numbers for each transaction: its start and end in the answer, those of its receipt in the other
   * answer, and the number of logs before it.
   */
  readonly spans: Uint32Array;
  /** Addresses of 42 characters, one after the other: senders, recipients of native value, sides of token transfers. */
  readonly participants: string;
  /** Index of each participant's transaction, ascending. */
  readonly owners: Uint32Array;
  /** Contracts with a log that may have moved balances. */
  readonly touched: Set<string>;
}

/** Larger answers are read without the module, so that its memory, which never shrinks, stays small. */
const BYTES_MAX = 32 * 1024 * 1024;
/** From this size on a new instance replaces the module; its memory can grow to 512 MB at most. */
const MEMORY_MAX = 96 * 1024 * 1024;
export const ADDRESS_LENGTH = 42;
export const HASH_LENGTH = 66;
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

const { TX, RECEIPT, SPAN, REPORT } = layout;

const { Module, Instance, RuntimeError } = (globalThis as unknown as WasmGlobal).WebAssembly;
const module = compile();
let exports: ProverExports | undefined;

/** The file stands beside this one, and beside the chunks of a bundle (tools/stack/bundle.mjs). */
function compile(): object | undefined {
  const bytes = readFileSync(new URL('./prover.wasm', import.meta.url));
  try {
    return new Module(bytes);
  } catch {
    // The processor has no SIMD.
    return undefined;
  }
}

/**
 * Scans two JSON-RPC answers, or the list of both (then `body` and `receipts` are the same). Proves what no
 * header covers: that every transaction has its hash, and that every receipt belongs to its transaction and
 * to the block `hash`. The caller must compare the roots with the header's.
 *
 * @returns undefined where it proves nothing: something is wrong, or is merely not written as most nodes
 * write it
 */
export function scanBlock(
  body: Source,
  {
    receipts,
    hash,
    encodeForeign,
  }: { readonly receipts: Source; readonly hash: string; readonly encodeForeign: EncodeForeign },
): ScannedBlock | undefined {
  const receiptsLength = receipts === body ? 0 : receipts.length;
  if (module === undefined || body.length + receiptsLength > BYTES_MAX) return undefined;
  exports ??= new Instance(module).exports as ProverExports;
  const prover = exports;
  try {
    const report = prover.prepare(body.length, receiptsLength);
    const bytes = bytesOf(prover);
    bytes.write(hash, numberAt(prover, report + REPORT.HASH), HASH_LENGTH, 'latin1');
    body.copyTo(bytes, numberAt(prover, report + REPORT.BODY));
    if (receiptsLength > 0) receipts.copyTo(bytes, numberAt(prover, report + REPORT.RECEIPTS));
    if (prover.scanAnswers() > 0 && !addForeign(prover, report, encodeForeign)) return undefined;
    prover.prove();
    return readReport(prover, report);
  } catch (error) {
    // The module traps on everything that it cannot prove.
    if (error instanceof RuntimeError || error instanceof RangeError) return undefined;
    throw error;
  } finally {
    if (prover.memory.buffer.byteLength > MEMORY_MAX) exports = undefined;
  }
}

function addForeign(prover: ProverExports, report: number, encodeForeign: EncodeForeign): boolean {
  const count = numberAt(prover, report + REPORT.COUNT);
  const transactions = numberAt(prover, report + REPORT.TRANSACTION_ROWS);
  const receipts = numberAt(prover, report + REPORT.RECEIPT_ROWS);
  for (let index = 0; index < count; index++) {
    const transaction = transactions + TX.SIZE * index;
    const receipt = receipts + RECEIPT.SIZE * index;
    if (numberAt(prover, transaction + TX.IS_FOREIGN) === 0) continue;
    const encoded = encodeForeign(
      index,
      textBetween(prover, transaction + TX.START, transaction + TX.END),
      textBetween(prover, receipt + RECEIPT.START, receipt + RECEIPT.END),
    );
    if (encoded === undefined) return false;
    addEncoding(prover, transaction + TX.ENCODING, encoded.transaction);
    if (encoded.receipt !== undefined) addEncoding(prover, receipt + RECEIPT.ENCODING, encoded.receipt);
  }
  return true;
}

function textBetween(prover: ProverExports, start: number, end: number): string {
  return bytesOf(prover).toString('latin1', numberAt(prover, start), numberAt(prover, end));
}

/** @param slot where to write its position and its length */
function addEncoding(prover: ProverExports, slot: number, encoding: Uint8Array): void {
  const at = prover.reserve(encoding.length);
  bytesOf(prover).set(encoding, at);
  numbersAt(prover, slot, 2).set([at, encoding.length]);
}

function readReport(prover: ProverExports, report: number): ScannedBlock {
  const bytes = bytesOf(prover);
  const read = (field: number): number => numberAt(prover, report + field);
  const rootAt = (field: number): string => `0x${bytes.toString('hex', report + field, report + field + 32)}`;
  const textOf = (from: number, to: number): string => bytes.toString('latin1', from, to);
  const [count, found] = [read(REPORT.COUNT), read(REPORT.PARTICIPANT_COUNT)];
  const [hashes, participants, touchedAt] = [
    read(REPORT.HASHES),
    read(REPORT.PARTICIPANTS),
    read(REPORT.TOUCHED),
  ];
  const touched = new Set<string>();
  const touchedEnd = touchedAt + ADDRESS_LENGTH * read(REPORT.TOUCHED_COUNT);
  for (let at = touchedAt; at < touchedEnd; at += ADDRESS_LENGTH)
    touched.add(textOf(at, at + ADDRESS_LENGTH));
  return {
    header: `${textOf(read(REPORT.BLOCK_START), read(REPORT.LIST_START))}[]${textOf(read(REPORT.LIST_END), read(REPORT.BLOCK_END))}`,
    transactionsRoot: rootAt(REPORT.TRANSACTIONS_ROOT),
    receiptsRoot: rootAt(REPORT.RECEIPTS_ROOT),
    withdrawalsRoot: read(REPORT.WITHDRAWAL_COUNT) === 0 ? EMPTY_ROOT : rootAt(REPORT.WITHDRAWALS_ROOT),
    count,
    hashes: textOf(hashes, hashes + HASH_LENGTH * count),
    spans: numbersAt(prover, read(REPORT.SPANS), (SPAN.SIZE / 4) * count).slice(),
    participants: textOf(participants, participants + ADDRESS_LENGTH * found),
    owners: numbersAt(prover, read(REPORT.OWNERS), found).slice(),
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

function numberAt({ memory }: ProverExports, at: number): number {
  return new DataView(memory.buffer).getUint32(at, true);
}
