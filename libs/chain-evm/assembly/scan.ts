// Finds the transactions of a block, and receipts with their logs, in JSON-RPC answers. Keys are compared as words of eight
// characters, the first one in the lowest byte. A field that comes twice traps: readers differ about which one counts.

import * as json from './json';
import * as rows from './rows';

/** The block's object, and in it the list of transactions, its brackets included. */
export let blockStart: usize = 0;
export let blockEnd: usize = 0;
export let listStart: usize = 0;
export let listEnd: usize = 0;

/** Its withdrawals; none where it has no such list. */
export let withdrawalRows: usize = 0;
export let withdrawalCount: u32 = 0;

/** A block has no more, the trie's keys are for as many, and a list of nothings takes no memory. */
const TRANSACTIONS_MAX: u32 = 65535;

export let transactionRows: usize = 0;
export let transactionCount: u32 = 0;
export let receiptRows: usize = 0;
export let receiptCount: u32 = 0;

/** The block and its transactions, which are whole objects. */
export function scanBlock(): void {
  openAnswer();
  blockStart = json.position();
  listStart = 0;
  withdrawalRows = 0;
  withdrawalCount = 0;
  json.take(0x7b);
  do {
    json.takeKey();
    if (json.keyLength == 12 && json.keyHead == 0x746361736e617274 && json.keyTail == 0x736e6f6974636173) scanTransactions(); // transactions
    else if (json.keyLength == 11 && json.keyHead == 0x7761726468746977 && json.keyTail == 0x736c617761726468) scanWithdrawals(); // withdrawals
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  blockEnd = json.position();
  closeAnswer();
  if (listStart == 0) unreachable();
}

/** A list or null. */
function scanWithdrawals(): void {
  if (withdrawalRows != 0) unreachable();
  withdrawalRows = rows.allocate(0);
  if (json.peek() != 0x5b) return json.takeNull();
  json.take(0x5b);
  if (json.takeIf(0x5d)) return;
  do {
    if (withdrawalCount == TRANSACTIONS_MAX) unreachable();
    scanWithdrawal(rows.allocate(rows.WITHDRAWAL_SIZE));
    withdrawalCount++;
  } while (json.takeIf(0x2c));
  json.take(0x5d);
}

function scanWithdrawal(row: usize): void {
  json.take(0x7b);
  do {
    json.takeKey();
    const head = json.keyHead;
    if (json.keyLength == 5 && head == 0x7865646e69) scanText(row + rows.WITHDRAWAL_INDEX); // index
    else if (json.keyLength == 6 && head == 0x746e756f6d61) scanText(row + rows.WITHDRAWAL_AMOUNT); // amount
    else if (json.keyLength == 7 && head == 0x73736572646461) scanText(row + rows.WITHDRAWAL_ADDRESS); // address
    else if (json.keyLength == 14 && head == 0x6f746164696c6176 && json.keyTail == 0x7865646e49726f74) scanText(row + rows.WITHDRAWAL_VALIDATOR); // validatorIndex
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
}

export function scanReceipts(): void {
  openAnswer();
  receiptCount = 0;
  receiptRows = rows.allocate(rows.RECEIPT_SIZE * transactionCount);
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      if (receiptCount == transactionCount) unreachable();
      scanReceipt(receiptRows + rows.RECEIPT_SIZE * receiptCount);
      receiptCount++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  closeAnswer();
}

/** Digit of the number that the last answer has; 0: it has none, or another. */
export let answerId: u32 = 0;

/** The members of an answer up to its result; an error is not taken. */
function openAnswer(): void {
  json.take(0x7b);
  answerId = 0;
  if (!skipToResult()) unreachable();
}

/** The members after the result. */
function closeAnswer(): void {
  if (json.takeIf(0x2c) && skipToResult()) unreachable();
  json.take(0x7d);
}

function skipToResult(): bool {
  do {
    json.takeKey();
    if (json.keyLength == 6 && json.keyHead == 0x746c75736572) return true; // result
    if (json.keyLength == 5 && json.keyHead == 0x726f727265) {
      json.takeNull(); // error
    } else if (json.keyLength == 2 && json.keyHead == 0x6469) {
      const digit = json.position(); // id
      json.skipValue();
      const next = load<u8>(digit + 1);
      answerId = next == 0x2c || next == 0x7d || next <= 0x20 ? load<u8>(digit) - 0x30 : 0;
    } else {
      json.skipValue();
    }
  } while (json.takeIf(0x2c));
  return false;
}

function scanTransactions(): void {
  if (listStart != 0) unreachable();
  listStart = json.position();
  transactionCount = 0;
  // Rows are allocated one after the other, so they are one table.
  transactionRows = rows.allocate(0);
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      if (transactionCount == TRANSACTIONS_MAX) unreachable();
      scanTransaction(rows.allocate(rows.TX_SIZE));
      transactionCount++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  listEnd = json.position();
}

function scanTransaction(row: usize): void {
  store<u32>(row, <u32>json.position(), rows.TX_START);
  json.take(0x7b);
  do {
    json.takeKey();
    const slot = transactionSlot();
    if (slot == rows.TX_HAS_ACCESSES) scanAccesses(row);
    else if (slot != 0) scanText(row + slot);
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  store<u32>(row, <u32>json.position(), rows.TX_END);
}

function transactionSlot(): usize {
  const head = json.keyHead;
  switch (json.keyLength) {
    case 1:
      if (head == 0x76) return rows.TX_V; // v
      if (head == 0x72) return rows.TX_R; // r
      if (head == 0x73) return rows.TX_S; // s
      return 0;
    case 2:
      return head == 0x6f74 ? rows.TX_TO : 0; // to
    case 3:
      return head == 0x736167 ? rows.TX_GAS : 0; // gas
    case 4:
      if (head == 0x68736168) return rows.TX_HASH; // hash
      if (head == 0x6d6f7266) return rows.TX_FROM; // from
      return head == 0x65707974 ? rows.TX_TYPE : 0; // type
    case 5:
      if (head == 0x65756c6176) return rows.TX_VALUE; // value
      if (head == 0x7475706e69) return rows.TX_INPUT; // input
      return head == 0x65636e6f6e ? rows.TX_NONCE : 0; // nonce
    case 7:
      if (head == 0x64496e69616863) return rows.TX_CHAIN_ID; // chainId
      return head == 0x79746972615079 ? rows.TX_Y_PARITY : 0; // yParity
    case 8:
      return head == 0x6563697250736167 ? rows.TX_GAS_PRICE : 0; // gasPrice
    case 10:
      return head == 0x694c737365636361 && json.keyTail == 0x7473694c73736563 ? rows.TX_HAS_ACCESSES : 0; // accessList
    case 12:
      return head == 0x655065654678616d && json.keyTail == 0x7361477265506565 ? rows.TX_MAX_FEE : 0; // maxFeePerGas
    case 20:
      return head == 0x726f69725078616d && json.keyMiddle == 0x6550656546797469 && json.keyTail == 0x7361477265506565 ? rows.TX_MAX_PRIORITY_FEE : 0; // maxPriorityFeePerGas
    default:
      return 0;
  }
}

/** 1: none (null or an empty list), 2: some. */
function scanAccesses(row: usize): void {
  if (load<u32>(row, rows.TX_HAS_ACCESSES) != 0) unreachable();
  let found: u32 = 1;
  if (json.peek() == 0x5b) {
    const from = json.position();
    json.take(0x5b);
    if (!json.takeIf(0x5d)) {
      found = 2;
      json.seek(from);
      json.skipValue();
    }
  } else {
    json.takeNull();
  }
  store<u32>(row, found, rows.TX_HAS_ACCESSES);
}

function scanReceipt(row: usize): void {
  store<u32>(row, <u32>json.position(), rows.RECEIPT_START);
  json.take(0x7b);
  do {
    json.takeKey();
    const slot = receiptSlot();
    if (slot == rows.RECEIPT_HAS_LOGS) scanLogs(row);
    else if (slot != 0) scanText(row + slot);
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  store<u32>(row, <u32>json.position(), rows.RECEIPT_END);
}

function receiptSlot(): usize {
  const head = json.keyHead;
  const tail = json.keyTail;
  switch (json.keyLength) {
    case 4:
      if (head == 0x73676f6c) return rows.RECEIPT_HAS_LOGS; // logs
      return head == 0x6d6f7266 ? rows.RECEIPT_FROM : 0; // from
    case 5:
      return head == 0x656546316c ? rows.RECEIPT_L1_FEE : 0; // l1Fee
    case 6:
      return head == 0x737574617473 ? rows.RECEIPT_STATUS : 0; // status
    case 7:
      return head == 0x64657355736167 ? rows.RECEIPT_GAS_USED : 0; // gasUsed
    case 9:
      if (head == 0x6f6f6c4273676f6c && tail == 0x6d6f6f6c4273676f) return rows.RECEIPT_BLOOM; // logsBloom
      return head == 0x7361486b636f6c62 && tail == 0x687361486b636f6c ? rows.RECEIPT_BLOCK_HASH : 0; // blockHash
    case 11:
      return head == 0x55736147626f6c62 && tail == 0x6465735573614762 ? rows.RECEIPT_BLOB_GAS_USED : 0; // blobGasUsed
    case 12:
      return head == 0x50736147626f6c62 && tail == 0x6563697250736147 ? rows.RECEIPT_BLOB_GAS_PRICE : 0; // blobGasPrice
    case 15:
      if (head == 0x746361736e617274 && tail == 0x687361486e6f6974) return rows.RECEIPT_TX_HASH; // transactionHash
      return head == 0x74636172746e6f63 && tail == 0x7373657264644174 ? rows.RECEIPT_CONTRACT : 0; // contractAddress
    case 16:
      return head == 0x746361736e617274 && tail == 0x7865646e496e6f69 ? rows.RECEIPT_TX_INDEX : 0; // transactionIndex
    case 17:
      if (head == 0x6974616c756d7563 && json.keyMiddle == 0x6573557361476576 && tail == 0x6465735573614765) return rows.RECEIPT_CUMULATIVE_GAS; // cumulativeGasUsed
      if (head == 0x7669746365666665 && json.keyMiddle == 0x6369725073614765 && tail == 0x6563697250736147) return rows.RECEIPT_GAS_PRICE; // effectiveGasPrice
      return head == 0x726f74617265706f && json.keyMiddle == 0x616c616353656546 && tail == 0x72616c6163536565 ? rows.RECEIPT_OPERATOR_SCALAR : 0; // operatorFeeScalar
    case 19:
      return head == 0x726f74617265706f && json.keyMiddle == 0x74736e6f43656546 && tail == 0x746e6174736e6f43 ? rows.RECEIPT_OPERATOR_CONSTANT : 0; // operatorFeeConstant
    case 20:
      return head == 0x7270746f6f466164 && json.keyMiddle == 0x6353736147746e69 && tail == 0x72616c6163537361 ? rows.RECEIPT_FOOTPRINT_SCALAR : 0; // daFootprintGasScalar
    default:
      return 0;
  }
}

function scanLogs(row: usize): void {
  if (load<u32>(row, rows.RECEIPT_HAS_LOGS) != 0) unreachable();
  store<u32>(row, 1, rows.RECEIPT_HAS_LOGS);
  store<u32>(row, <u32>rows.allocate(0), rows.RECEIPT_LOGS);
  let count: u32 = 0;
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      scanLog(rows.allocate(rows.LOG_SIZE));
      count++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  store<u32>(row, count, rows.RECEIPT_LOG_COUNT);
}

function scanLog(row: usize): void {
  json.take(0x7b);
  do {
    json.takeKey();
    const head = json.keyHead;
    if (json.keyLength == 7 && head == 0x73736572646461) scanText(row + rows.LOG_ADDRESS); // address
    else if (json.keyLength == 4 && head == 0x61746164) scanText(row + rows.LOG_DATA); // data
    else if (json.keyLength == 6 && head == 0x736369706f74) scanTopics(row); // topics
    else json.skipValue();
  } while (json.takeIf(0x2c));
  json.take(0x7d);
  if (!rows.has(row, rows.LOG_ADDRESS) || !rows.has(row, rows.LOG_DATA) || load<u32>(row, rows.LOG_HAS_TOPICS) == 0) unreachable();
}

function scanTopics(row: usize): void {
  if (load<u32>(row, rows.LOG_HAS_TOPICS) != 0) unreachable();
  store<u32>(row, 1, rows.LOG_HAS_TOPICS);
  let count: u32 = 0;
  json.take(0x5b);
  if (!json.takeIf(0x5d)) {
    do {
      json.peek();
      json.takeText();
      if (count == 4 || json.textLength != 66) unreachable();
      store<u32>(row + rows.LOG_TOPICS + 4 * count, <u32>json.textAt);
      count++;
    } while (json.takeIf(0x2c));
    json.take(0x5d);
  }
  store<u32>(row, count, rows.LOG_TOPIC_COUNT);
}

/** A text or null. */
function scanText(slot: usize): void {
  if (load<u64>(slot) != 0) unreachable();
  if (json.peek() == 0x22) {
    json.takeText();
    store<u32>(slot, <u32>json.textAt);
    store<u32>(slot, json.textLength, 4);
  } else {
    json.takeNull();
    store<u32>(slot, 1, 4);
  }
}
