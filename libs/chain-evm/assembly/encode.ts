// Encodes transactions and receipts as the roots hold them: EIP-2718, EIP-2930, EIP-1559, EIP-658.

import * as rlp from './rlp';
import * as rows from './rows';

const BLOOM_BYTES: u32 = 256;

/** Whether `writeTransaction` knows how. */
export function canWrite(row: usize): bool {
  const type = load<u32>(row, rows.TX_TYPE_NUMBER);
  // The caller knows what contract a creation makes, which no root covers.
  if (type > 2 || load<u32>(row, rows.TX_HAS_ACCESSES) == 2 || !rows.has(row, rows.TX_TO)) return false;
  if (!rows.has(row, rows.TX_NONCE) || !rows.has(row, rows.TX_GAS) || !rows.has(row, rows.TX_VALUE) || !rows.has(row, rows.TX_INPUT)) return false;
  if (!rows.has(row, rows.TX_R) || !rows.has(row, rows.TX_S)) return false;
  if (type == 0) return rows.has(row, rows.TX_GAS_PRICE) && rows.has(row, rows.TX_V);
  if (!rows.has(row, rows.TX_CHAIN_ID) || (!rows.has(row, rows.TX_Y_PARITY) && !rows.has(row, rows.TX_V))) return false;
  if (type == 1) return rows.has(row, rows.TX_GAS_PRICE);
  return rows.has(row, rows.TX_MAX_FEE) && rows.has(row, rows.TX_MAX_PRIORITY_FEE);
}

export function writeTransaction(row: usize): void {
  const end = rlp.written();
  const type = load<u32>(row, rows.TX_TYPE_NUMBER);
  quantity(row, rows.TX_S);
  quantity(row, rows.TX_R);
  quantity(row, type != 0 && rows.has(row, rows.TX_Y_PARITY) ? rows.TX_Y_PARITY : rows.TX_V);
  if (type != 0) rlp.byte(0xc0); // the access list
  data(row, rows.TX_INPUT);
  quantity(row, rows.TX_VALUE);
  data(row, rows.TX_TO);
  quantity(row, rows.TX_GAS);
  if (type == 2) {
    quantity(row, rows.TX_MAX_FEE);
    quantity(row, rows.TX_MAX_PRIORITY_FEE);
  } else {
    quantity(row, rows.TX_GAS_PRICE);
  }
  quantity(row, rows.TX_NONCE);
  if (type != 0) quantity(row, rows.TX_CHAIN_ID);
  rlp.list(end);
  if (type != 0) rlp.byte(type);
}

export function writeReceipt(row: usize, type: u32): void {
  const end = rlp.written();
  const logCount = load<u32>(row, rows.RECEIPT_LOG_COUNT);
  writeLogs(load<u32>(row, rows.RECEIPT_LOGS), logCount);
  if (logCount == 0) {
    rlp.zeros(BLOOM_BYTES);
    rlp.header(BLOOM_BYTES, 0x80);
  } else {
    // Some nodes leave it out: then JavaScript makes one of the logs.
    if (rows.lengthOf(row, rows.RECEIPT_BLOOM) != 2 + 2 * BLOOM_BYTES) unreachable();
    data(row, rows.RECEIPT_BLOOM);
  }
  quantity(row, rows.RECEIPT_CUMULATIVE_GAS);
  quantity(row, rows.RECEIPT_STATUS);
  rlp.list(end);
  if (type != 0) rlp.byte(type);
}

export function writeWithdrawal(row: usize): void {
  const end = rlp.written();
  quantity(row, rows.WITHDRAWAL_AMOUNT);
  data(row, rows.WITHDRAWAL_ADDRESS);
  quantity(row, rows.WITHDRAWAL_VALIDATOR);
  quantity(row, rows.WITHDRAWAL_INDEX);
  rlp.list(end);
}

function writeLogs(first: usize, count: u32): void {
  const end = rlp.written();
  for (let i = count; i > 0; i--) {
    const row = first + rows.LOG_SIZE * (i - 1);
    const logEnd = rlp.written();
    data(row, rows.LOG_DATA);
    const topicsEnd = rlp.written();
    for (let j = load<u32>(row, rows.LOG_TOPIC_COUNT); j > 0; j--) rlp.data(load<u32>(row + rows.LOG_TOPICS + 4 * (j - 1)), 66);
    rlp.list(topicsEnd);
    if (rows.lengthOf(row, rows.LOG_ADDRESS) != 42) unreachable();
    data(row, rows.LOG_ADDRESS);
    rlp.list(logEnd);
  }
  rlp.list(end);
}

@inline
function quantity(row: usize, slot: usize): void {
  rlp.quantity(rows.textAtOf(row, slot), rows.lengthOf(row, slot));
}

@inline
function data(row: usize, slot: usize): void {
  rlp.data(rows.textAtOf(row, slot), rows.lengthOf(row, slot));
}
