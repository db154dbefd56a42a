// Proves from the bytes of two JSON-RPC answers that they are a whole block: every transaction under its hash and in
// `transactionsRoot`, every receipt with its logs in `receiptsRoot`. It says yes to blocks of the common form only; whatever
// else there is, also everything wrong, traps, and the caller verifies the block by other means (docs/adr/0013-proving-from-bytes.md).

import * as rlp from './encode';
import { canWrite, writeReceipt, writeTransaction, writeWithdrawal } from './encode';
import * as json from './json';
import { addMessage, hashAll, MESSAGE_SIZE } from './keccak';
import * as layout from './layout';
import * as rows from './rows';
import { addressDigits, isTransfer, touchesBalances } from './rows';
import * as scan from './scan';
import { BRANCH_BYTES, LEAF_HEAD, TRIE_BYTES, writeRoot } from './trie';

/** Of the transactions that an OP stack block begins with; their receipts have fields of their own. */
const DEPOSIT: u32 = 0x7e;
/** Zero bytes behind each text: what reads ahead reads them. */
const PADDING: usize = 64;

/** What the caller reads when all is done: `readReport` in src/block-prover.ts. */
const report: usize = memory.data(<i32>layout.REPORT_SIZE, 8);
/** For what is decoded only to see that it can be. */
const scratch: usize = memory.data(64, 8);

let bodyAt: usize = 0;
let bodyLength: u32 = 0;
let receiptsAt: usize = 0;
let receiptsLength: u32 = 0;
/** Text of the hash that every receipt has to name. */
let hashAt: usize = 0;

/**
 * Makes room for the two answers and the block's hash (66 characters), which the caller writes there. Without receipts
 * of their own the body is a list of both answers, numbered 1 and 2.
 */
export function prepare(bodySize: u32, receiptsSize: u32): usize {
  rows.startTables(__heap_base);
  bodyLength = bodySize;
  receiptsLength = receiptsSize;
  hashAt = rows.allocate(72);
  bodyAt = allocateText(bodySize);
  receiptsAt = receiptsSize == 0 ? bodyAt : allocateText(receiptsSize);
  store<u32>(report, <u32>hashAt, layout.REPORT_HASH);
  store<u32>(report, <u32>bodyAt, layout.REPORT_BODY);
  store<u32>(report, <u32>receiptsAt, layout.REPORT_RECEIPTS);
  return report;
}

function allocateText(length: usize): usize {
  const at = rows.reserve(length + PADDING);
  memory.fill(at + length, 0, PADDING);
  return at;
}

/** @returns how many transactions the caller has to encode: those with `TX_IS_FOREIGN` */
export function scanAnswers(): u32 {
  json.seek(bodyAt);
  if (receiptsLength == 0) {
    json.take(0x5b);
    scan.scanBlock();
    if (scan.answerId != 1) unreachable();
    json.take(0x2c);
    scan.scanReceipts();
    if (scan.answerId != 2) unreachable();
    json.take(0x5d);
    json.takeEnd(bodyAt + bodyLength);
  } else {
    scan.scanBlock();
    json.takeEnd(bodyAt + bodyLength);
    json.seek(receiptsAt);
    scan.scanReceipts();
    json.takeEnd(receiptsAt + receiptsLength);
  }
  const count = scan.transactionCount;
  if (count == 0 || scan.receiptCount != count) unreachable();
  let foreign: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const row = scan.transactionRows + layout.TX_SIZE * i;
    const type = rows.has(row, layout.TX_TYPE) ? rlp.valueOf(rows.textAtOf(row, layout.TX_TYPE), rows.lengthOf(row, layout.TX_TYPE)) : 0;
    if (type > 0x7f) unreachable();
    store<u32>(row, <u32>type, layout.TX_TYPE_NUMBER);
    if (canWrite(row)) continue;
    store<u32>(row, 1, layout.TX_IS_FOREIGN);
    foreign++;
  }
  store<u32>(report, count, layout.REPORT_COUNT);
  store<u32>(report, <u32>scan.transactionRows, layout.REPORT_TRANSACTION_ROWS);
  store<u32>(report, <u32>scan.receiptRows, layout.REPORT_RECEIPT_ROWS);
  return foreign;
}

/** Room for an encoding by the caller. */
export function reserve(size: u32): usize {
  return rows.reserve(size);
}

/** The two roots; that every transaction has its hash and every receipt belongs to its transaction; what to look up. */
export function prove(): void {
  const count = scan.transactionCount;
  writeTransactionsRoot(count);
  writeReceiptsRoot(count);
  writeWithdrawalsRoot();
  expectLinks(count);
  listParticipants(count);
  listSpans(count);
  listHashes(count);
  store<u32>(report, <u32>scan.blockStart, layout.REPORT_BLOCK_START);
  store<u32>(report, <u32>scan.listStart, layout.REPORT_LIST_START);
  store<u32>(report, <u32>scan.listEnd, layout.REPORT_LIST_END);
  store<u32>(report, <u32>scan.blockEnd, layout.REPORT_BLOCK_END);
}

function writeTransactionsRoot(count: u32): void {
  const values = rows.allocate(8 * count);
  const messages = rows.reserve(MESSAGE_SIZE * count);
  const digests = rows.reserve(32 * count);
  const work = rows.reserve(TRIE_BYTES * count + BRANCH_BYTES);
  const size = bodyLength + foreignLength(count) + (LEAF_HEAD + 16) * count;
  rlp.startAt(rows.reserve(size) + size);
  for (let i: u32 = 0; i < count; i++) {
    const row = scan.transactionRows + layout.TX_SIZE * i;
    const end = rlp.written();
    if (load<u32>(row, layout.TX_IS_FOREIGN) == 0) writeTransaction(row);
    else rlp.bytes(load<u32>(row, layout.TX_ENCODING), load<u32>(row, layout.TX_ENCODING + 4));
    closeValue(values, i, end);
    addMessage(messages, i, rlp.written(), <u32>(end - rlp.written()), digests + 32 * i);
    rlp.startAt(rlp.written() - LEAF_HEAD);
  }
  hashAll(messages, count);
  for (let i: u32 = 0; i < count; i++) {
    const row = scan.transactionRows + layout.TX_SIZE * i;
    rlp.expectBytes(rows.textAtOf(row, layout.TX_HASH), rows.lengthOf(row, layout.TX_HASH), 32, scratch);
    for (let word: usize = 0; word < 32; word += 8) if (load<u64>(scratch + word) != load<u64>(digests + 32 * i + word)) unreachable();
  }
  writeRoot(values, count, work, report + layout.REPORT_TRANSACTIONS_ROOT);
}

/** Of all encodings by the caller. */
function foreignLength(count: u32): usize {
  let length: usize = 0;
  for (let i: u32 = 0; i < count; i++) {
    length += load<u32>(scan.transactionRows + layout.TX_SIZE * i, layout.TX_ENCODING + 4) + load<u32>(scan.receiptRows + layout.RECEIPT_SIZE * i, layout.RECEIPT_ENCODING + 4);
  }
  return length;
}

function writeReceiptsRoot(count: u32): void {
  const values = rows.allocate(8 * count);
  const work = rows.reserve(TRIE_BYTES * count + BRANCH_BYTES);
  const size = bodyLength + receiptsLength + foreignLength(count) + (LEAF_HEAD + 288) * count;
  rlp.startAt(rows.reserve(size) + size);
  for (let i: u32 = 0; i < count; i++) {
    const row = scan.receiptRows + layout.RECEIPT_SIZE * i;
    const type = load<u32>(scan.transactionRows + layout.TX_SIZE * i, layout.TX_TYPE_NUMBER);
    const end = rlp.written();
    // Also where the caller has encoded it: its logs are then known to be written as they are read here.
    writeReceipt(row, type);
    if (type == DEPOSIT) {
      rlp.startAt(end);
      rlp.bytes(load<u32>(row, layout.RECEIPT_ENCODING), load<u32>(row, layout.RECEIPT_ENCODING + 4));
    }
    closeValue(values, i, end);
    rlp.startAt(rlp.written() - LEAF_HEAD);
  }
  writeRoot(values, count, work, report + layout.REPORT_RECEIPTS_ROOT);
}

/** Nothing where there are none: the root is then one that everybody knows. */
function writeWithdrawalsRoot(): void {
  const count = scan.withdrawalCount;
  store<u32>(report, count, layout.REPORT_WITHDRAWAL_COUNT);
  if (count == 0) return;
  const values = rows.allocate(8 * count);
  const work = rows.reserve(TRIE_BYTES * count + BRANCH_BYTES);
  const size = bodyLength + (LEAF_HEAD + 16) * count;
  rlp.startAt(rows.reserve(size) + size);
  for (let i: u32 = 0; i < count; i++) {
    const end = rlp.written();
    writeWithdrawal(scan.withdrawalRows + layout.WITHDRAWAL_SIZE * i);
    closeValue(values, i, end);
    rlp.startAt(rlp.written() - LEAF_HEAD);
  }
  writeRoot(values, count, work, report + layout.REPORT_WITHDRAWALS_ROOT);
}

function closeValue(values: usize, index: u32, end: usize): void {
  const length = <u32>(end - rlp.written());
  // With its head and path, at least three bytes, a shorter one would stand in its branch itself.
  if (length < 29) unreachable();
  store<u32>(values + 8 * index, <u32>rlp.written());
  store<u32>(values + 8 * index, length, 4);
}

/** What no root covers, and that whatever is decoded later can be. */
function expectLinks(count: u32): void {
  let gasUsed: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const tx = scan.transactionRows + layout.TX_SIZE * i;
    const receipt = scan.receiptRows + layout.RECEIPT_SIZE * i;
    expectAddress(tx, layout.TX_FROM);
    if (rows.has(tx, layout.TX_TO)) expectAddress(tx, layout.TX_TO);
    if (!rows.has(tx, layout.TX_INPUT)) unreachable();
    expectQuantity(tx, layout.TX_VALUE);
    expectQuantity(tx, layout.TX_GAS);
    if (rows.has(tx, layout.TX_GAS_PRICE)) expectQuantity(tx, layout.TX_GAS_PRICE);
    expectSame(receipt, layout.RECEIPT_TX_HASH, rows.textAtOf(tx, layout.TX_HASH), 66);
    expectSame(receipt, layout.RECEIPT_BLOCK_HASH, hashAt, 66);
    if (rows.has(receipt, layout.RECEIPT_FROM)) expectSame(receipt, layout.RECEIPT_FROM, rows.textAtOf(tx, layout.TX_FROM), 42);
    if (valueOf(receipt, layout.RECEIPT_TX_INDEX) != i) unreachable();
    if (load<u32>(receipt, layout.RECEIPT_HAS_LOGS) == 0) unreachable();
    gasUsed += valueOf(receipt, layout.RECEIPT_GAS_USED);
    if (gasUsed != valueOf(receipt, layout.RECEIPT_CUMULATIVE_GAS)) unreachable();
    expectQuantity(receipt, layout.RECEIPT_STATUS);
    if (rows.has(receipt, layout.RECEIPT_CONTRACT)) expectAddress(receipt, layout.RECEIPT_CONTRACT);
    for (let slot = layout.RECEIPT_GAS_PRICE; slot < layout.RECEIPT_SIZE; slot += 8) if (rows.has(receipt, slot)) expectQuantity(receipt, slot);
  }
}

/** Texts of the addresses that a transaction pays, is paid from or may, and of the contracts that touched balances. */
function listParticipants(count: u32): void {
  const logCount = countLogs(count);
  const participants = rows.reserve(42 * (2 * count + 2 * logCount));
  const owners = rows.reserve(4 * (2 * count + 2 * logCount));
  const touched = rows.reserve(42 * logCount);
  let found: u32 = 0;
  let touchedCount: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const tx = scan.transactionRows + layout.TX_SIZE * i;
    const receipt = scan.receiptRows + layout.RECEIPT_SIZE * i;
    const from = rows.textAtOf(tx, layout.TX_FROM) + 2;
    writeAddress(participants + 42 * found, from);
    store<u32>(owners + 4 * found++, i);
    const value = rows.textAtOf(tx, layout.TX_VALUE);
    const isPaid = rows.lengthOf(tx, layout.TX_VALUE) != 3 || load<u8>(value, 2) != 0x30;
    const to = rows.has(tx, layout.TX_TO) ? rows.textAtOf(tx, layout.TX_TO) : rows.textAtOf(receipt, layout.RECEIPT_CONTRACT);
    if (isPaid && to != 0) {
      writeAddress(participants + 42 * found, to + 2);
      store<u32>(owners + 4 * found++, i);
    }
    let log: usize = load<u32>(receipt, layout.RECEIPT_LOGS);
    for (let left = load<u32>(receipt, layout.RECEIPT_LOG_COUNT); left > 0; left--, log += layout.LOG_SIZE) {
      if (isTransfer(log)) {
        for (let topic: usize = 1; topic < 3; topic++) {
          const digits = addressDigits(log, topic);
          if (isSame(digits, from, 40)) continue;
          writeAddress(participants + 42 * found, digits);
          store<u32>(owners + 4 * found++, i);
        }
      } else if (touchesBalances(log)) {
        const address = rows.textAtOf(log, layout.LOG_ADDRESS);
        if (touchedCount > 0 && isSame(address, touched + 42 * (touchedCount - 1), 42)) continue;
        memory.copy(touched + 42 * touchedCount++, address, 42);
      }
    }
  }
  store<u32>(report, <u32>participants, layout.REPORT_PARTICIPANTS);
  store<u32>(report, found, layout.REPORT_PARTICIPANT_COUNT);
  store<u32>(report, <u32>owners, layout.REPORT_OWNERS);
  store<u32>(report, <u32>touched, layout.REPORT_TOUCHED);
  store<u32>(report, touchedCount, layout.REPORT_TOUCHED_COUNT);
}

function countLogs(count: u32): u32 {
  let logs: u32 = 0;
  for (let i: u32 = 0; i < count; i++) logs += load<u32>(scan.receiptRows + layout.RECEIPT_SIZE * i, layout.RECEIPT_LOG_COUNT);
  return logs;
}

/** Where each transaction and its receipt stand in their answers, and the number of the logs before it. */
function listSpans(count: u32): void {
  const spans = rows.reserve(layout.SPAN_SIZE * count);
  let logIndex: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const tx = scan.transactionRows + layout.TX_SIZE * i;
    const receipt = scan.receiptRows + layout.RECEIPT_SIZE * i;
    const span = spans + layout.SPAN_SIZE * i;
    store<u32>(span, load<u32>(tx, layout.TX_START) - <u32>bodyAt, layout.SPAN_START);
    store<u32>(span, load<u32>(tx, layout.TX_END) - <u32>bodyAt, layout.SPAN_END);
    store<u32>(span, load<u32>(receipt, layout.RECEIPT_START) - <u32>receiptsAt, layout.SPAN_RECEIPT_START);
    store<u32>(span, load<u32>(receipt, layout.RECEIPT_END) - <u32>receiptsAt, layout.SPAN_RECEIPT_END);
    store<u32>(span, logIndex, layout.SPAN_LOG_INDEX);
    logIndex += load<u32>(receipt, layout.RECEIPT_LOG_COUNT);
  }
  store<u32>(report, <u32>spans, layout.REPORT_SPANS);
}

/** Texts of the transactions' hashes, one after the other. */
function listHashes(count: u32): void {
  const hashes = rows.reserve(66 * count);
  for (let i: u32 = 0; i < count; i++) memory.copy(hashes + 66 * i, rows.textAtOf(scan.transactionRows + layout.TX_SIZE * i, layout.TX_HASH), 66);
  store<u32>(report, <u32>hashes, layout.REPORT_HASHES);
}

function writeAddress(to: usize, digits: usize): void {
  store<u16>(to, 0x7830);
  v128.store(to, v128.load(digits), 2);
  v128.store(to, v128.load(digits, 16), 18);
  store<u64>(to, load<u64>(digits, 32), 34);
}

/** Of at least eight bytes; the last eight overlap those before. */
function isSame(one: usize, other: usize, length: usize): bool {
  const last = length - 8;
  for (let i: usize = 0; i < last; i += 8) if (load<u64>(one + i) != load<u64>(other + i)) return false;
  return load<u64>(one + last) == load<u64>(other + last);
}

function expectSame(row: usize, slot: usize, text: usize, length: u32): void {
  if (!rows.has(row, slot) || rows.lengthOf(row, slot) != length || !isSame(rows.textAtOf(row, slot), text, length)) unreachable();
}

function expectAddress(row: usize, slot: usize): void {
  rlp.expectBytes(rows.textAtOf(row, slot), rows.lengthOf(row, slot), 20, scratch);
}

function expectQuantity(row: usize, slot: usize): void {
  rlp.expectQuantity(rows.textAtOf(row, slot), rows.lengthOf(row, slot));
}

function valueOf(row: usize, slot: usize): u64 {
  return rlp.valueOf(rows.textAtOf(row, slot), rows.lengthOf(row, slot));
}
