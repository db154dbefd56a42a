// Encodes transactions and receipts as the roots hold them: EIP-2718, EIP-2930, EIP-1559, EIP-658.

import * as layout from './layout';
import * as rlp from './rlp';
import * as rows from './rows';

const BLOOM_BYTES: u32 = 256;

/** Whether `writeTransaction` knows how. */
export function canWrite(row: usize): bool {
  const type = load<u32>(row, layout.TX_TYPE_NUMBER);
  // The caller knows what contract a creation makes, which no root covers.
  if (type > 2 || load<u32>(row, layout.TX_HAS_ACCESSES) == 2 || !rows.has(row, layout.TX_TO)) return false;
  if (!rows.has(row, layout.TX_NONCE) || !rows.has(row, layout.TX_GAS) || !rows.has(row, layout.TX_VALUE) || !rows.has(row, layout.TX_INPUT)) return false;
  if (!rows.has(row, layout.TX_R) || !rows.has(row, layout.TX_S)) return false;
  if (type == 0) return rows.has(row, layout.TX_GAS_PRICE) && rows.has(row, layout.TX_V);
  if (!rows.has(row, layout.TX_CHAIN_ID) || (!rows.has(row, layout.TX_Y_PARITY) && !rows.has(row, layout.TX_V))) return false;
  if (type == 1) return rows.has(row, layout.TX_GAS_PRICE);
  return rows.has(row, layout.TX_MAX_FEE) && rows.has(row, layout.TX_MAX_PRIORITY_FEE);
}

export function writeTransaction(row: usize): void {
  const end = rlp.written();
  const type = load<u32>(row, layout.TX_TYPE_NUMBER);
  quantity(row, layout.TX_S);
  quantity(row, layout.TX_R);
  quantity(row, type != 0 && rows.has(row, layout.TX_Y_PARITY) ? layout.TX_Y_PARITY : layout.TX_V);
  if (type != 0) rlp.byte(0xc0); // the access list
  data(row, layout.TX_INPUT);
  quantity(row, layout.TX_VALUE);
  data(row, layout.TX_TO);
  quantity(row, layout.TX_GAS);
  if (type == 2) {
    quantity(row, layout.TX_MAX_FEE);
    quantity(row, layout.TX_MAX_PRIORITY_FEE);
  } else {
    quantity(row, layout.TX_GAS_PRICE);
  }
  quantity(row, layout.TX_NONCE);
  if (type != 0) quantity(row, layout.TX_CHAIN_ID);
  rlp.list(end);
  if (type != 0) rlp.byte(type);
}

export function writeReceipt(row: usize, type: u32): void {
  const end = rlp.written();
  const logCount = load<u32>(row, layout.RECEIPT_LOG_COUNT);
  writeLogs(load<u32>(row, layout.RECEIPT_LOGS), logCount);
  if (logCount == 0) {
    rlp.zeros(BLOOM_BYTES);
    rlp.header(BLOOM_BYTES, 0x80);
  } else {
    // Some nodes leave it out: then JavaScript makes one of the logs.
    if (rows.lengthOf(row, layout.RECEIPT_BLOOM) != 2 + 2 * BLOOM_BYTES) unreachable();
    data(row, layout.RECEIPT_BLOOM);
  }
  quantity(row, layout.RECEIPT_CUMULATIVE_GAS);
  quantity(row, layout.RECEIPT_STATUS);
  rlp.list(end);
  if (type != 0) rlp.byte(type);
}

export function writeWithdrawal(row: usize): void {
  const end = rlp.written();
  quantity(row, layout.WITHDRAWAL_AMOUNT);
  data(row, layout.WITHDRAWAL_ADDRESS);
  quantity(row, layout.WITHDRAWAL_VALIDATOR);
  quantity(row, layout.WITHDRAWAL_INDEX);
  rlp.list(end);
}

function writeLogs(first: usize, count: u32): void {
  const end = rlp.written();
  for (let i = count; i > 0; i--) {
    const row = first + layout.LOG_SIZE * (i - 1);
    const logEnd = rlp.written();
    data(row, layout.LOG_DATA);
    const topicsEnd = rlp.written();
    for (let j = load<u32>(row, layout.LOG_TOPIC_COUNT); j > 0; j--) rlp.data(load<u32>(row + layout.LOG_TOPICS + 4 * (j - 1)), 66);
    rlp.list(topicsEnd);
    if (rows.lengthOf(row, layout.LOG_ADDRESS) != 42) unreachable();
    data(row, layout.LOG_ADDRESS);
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
