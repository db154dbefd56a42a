/**
 * What the module and its caller have to agree about, written down once: build.mjs makes `assembly/layout.ts`,
 * `assembly/keys.ts` and `src/layout.ts` of it.
 */

const WORD = 4;
/** A text is its position and its length; a position of 0 is null, or a field that is not there. */
const TEXT = 8;

/** Rows that are filled from JSON: fields by name with their bytes, one after the other. Every row fills whole texts. */
export const rows = {
  TX: {
    START: WORD,
    END: WORD,
    /** EIP-2718 type. */
    TYPE_NUMBER: WORD,
    /** 1: JavaScript encodes it. */
    IS_FOREIGN: WORD,
    /** Its encoding: where it stands, its length. */
    ENCODING: TEXT,
    /** 0: not there, 1: none (null or an empty list), 2: some. */
    HAS_ACCESSES: TEXT,
    HASH: TEXT,
    TYPE: TEXT,
    FROM: TEXT,
    TO: TEXT,
    NONCE: TEXT,
    GAS: TEXT,
    GAS_PRICE: TEXT,
    MAX_FEE: TEXT,
    MAX_PRIORITY_FEE: TEXT,
    VALUE: TEXT,
    INPUT: TEXT,
    CHAIN_ID: TEXT,
    V: TEXT,
    Y_PARITY: TEXT,
    R: TEXT,
    S: TEXT,
  },
  RECEIPT: {
    START: WORD,
    END: WORD,
    /** Row of its first log. */
    LOGS: WORD,
    LOG_COUNT: WORD,
    /** As of a transaction. */
    ENCODING: TEXT,
    /** 1: the list of logs was there. */
    HAS_LOGS: TEXT,
    TX_HASH: TEXT,
    TX_INDEX: TEXT,
    BLOCK_HASH: TEXT,
    FROM: TEXT,
    STATUS: TEXT,
    CUMULATIVE_GAS: TEXT,
    GAS_USED: TEXT,
    BLOOM: TEXT,
    CONTRACT: TEXT,
    // From here on what only the fee is reckoned from: quantities, to the end of the row.
    GAS_PRICE: TEXT,
    BLOB_GAS_USED: TEXT,
    BLOB_GAS_PRICE: TEXT,
    L1_FEE: TEXT,
    OPERATOR_SCALAR: TEXT,
    OPERATOR_CONSTANT: TEXT,
    FOOTPRINT_SCALAR: TEXT,
  },
  LOG: {
    ADDRESS: TEXT,
    DATA: TEXT,
    TOPIC_COUNT: WORD,
    /** 1: the list of topics was there. */
    HAS_TOPICS: WORD,
    /** Positions of at most four: every topic is a word. */
    TOPICS: 4 * WORD,
  },
  WITHDRAWAL: {
    INDEX: TEXT,
    VALIDATOR: TEXT,
    ADDRESS: TEXT,
    AMOUNT: TEXT,
  },
  /** Where a transaction and its receipt stand in their answers, and the number of the logs before it. */
  SPAN: {
    START: WORD,
    END: WORD,
    RECEIPT_START: WORD,
    RECEIPT_END: WORD,
    LOG_INDEX: WORD,
  },
  /** What the caller reads when all is done. */
  REPORT: {
    TRANSACTIONS_ROOT: 32,
    RECEIPTS_ROOT: 32,
    // Where the caller writes: the block's hash and the two answers.
    HASH: WORD,
    BODY: WORD,
    RECEIPTS: WORD,
    COUNT: WORD,
    TRANSACTION_ROWS: WORD,
    RECEIPT_ROWS: WORD,
    // The block's object, and in it the list of transactions.
    BLOCK_START: WORD,
    LIST_START: WORD,
    LIST_END: WORD,
    BLOCK_END: WORD,
    PARTICIPANTS: WORD,
    PARTICIPANT_COUNT: WORD,
    OWNERS: WORD,
    TOUCHED: WORD,
    TOUCHED_COUNT: WORD,
    SPANS: WORD,
    WITHDRAWAL_COUNT: WORD,
    WITHDRAWALS_ROOT: 32,
    HASHES: WORD,
  },
};

/** Keys of JSON objects and the field that each one fills. */
export const slots = {
  transactionSlot: {
    v: 'TX_V',
    r: 'TX_R',
    s: 'TX_S',
    to: 'TX_TO',
    gas: 'TX_GAS',
    hash: 'TX_HASH',
    from: 'TX_FROM',
    type: 'TX_TYPE',
    value: 'TX_VALUE',
    input: 'TX_INPUT',
    nonce: 'TX_NONCE',
    chainId: 'TX_CHAIN_ID',
    yParity: 'TX_Y_PARITY',
    gasPrice: 'TX_GAS_PRICE',
    accessList: 'TX_HAS_ACCESSES',
    maxFeePerGas: 'TX_MAX_FEE',
    maxPriorityFeePerGas: 'TX_MAX_PRIORITY_FEE',
  },
  receiptSlot: {
    logs: 'RECEIPT_HAS_LOGS',
    from: 'RECEIPT_FROM',
    l1Fee: 'RECEIPT_L1_FEE',
    status: 'RECEIPT_STATUS',
    gasUsed: 'RECEIPT_GAS_USED',
    logsBloom: 'RECEIPT_BLOOM',
    blockHash: 'RECEIPT_BLOCK_HASH',
    blobGasUsed: 'RECEIPT_BLOB_GAS_USED',
    blobGasPrice: 'RECEIPT_BLOB_GAS_PRICE',
    transactionHash: 'RECEIPT_TX_HASH',
    contractAddress: 'RECEIPT_CONTRACT',
    transactionIndex: 'RECEIPT_TX_INDEX',
    cumulativeGasUsed: 'RECEIPT_CUMULATIVE_GAS',
    effectiveGasPrice: 'RECEIPT_GAS_PRICE',
    operatorFeeScalar: 'RECEIPT_OPERATOR_SCALAR',
    operatorFeeConstant: 'RECEIPT_OPERATOR_CONSTANT',
    daFootprintGasScalar: 'RECEIPT_FOOTPRINT_SCALAR',
  },
};

/** Keys that are asked for by themselves: of answers, blocks, withdrawals and logs. */
export const keys = [
  'result',
  'error',
  'id',
  'transactions',
  'withdrawals',
  'index',
  'amount',
  'address',
  'validatorIndex',
  'data',
  'topics',
];
