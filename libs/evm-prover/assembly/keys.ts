// Made from ../layout.mjs by `npm run build:wasm`.
// Keys are compared as words of eight characters, the first one in the lowest byte.

import * as json from './json';
import * as rows from './layout';

/** 0: none that is read. */
export function transactionSlot(): usize {
  switch (json.keyLength) {
    case 1:
      if (json.keyHead == 0x76) return rows.TX_V; // v
      if (json.keyHead == 0x72) return rows.TX_R; // r
      if (json.keyHead == 0x73) return rows.TX_S; // s
      return 0;
    case 2:
      if (json.keyHead == 0x6f74) return rows.TX_TO; // to
      return 0;
    case 3:
      if (json.keyHead == 0x736167) return rows.TX_GAS; // gas
      return 0;
    case 4:
      if (json.keyHead == 0x68736168) return rows.TX_HASH; // hash
      if (json.keyHead == 0x6d6f7266) return rows.TX_FROM; // from
      if (json.keyHead == 0x65707974) return rows.TX_TYPE; // type
      return 0;
    case 5:
      if (json.keyHead == 0x65756c6176) return rows.TX_VALUE; // value
      if (json.keyHead == 0x7475706e69) return rows.TX_INPUT; // input
      if (json.keyHead == 0x65636e6f6e) return rows.TX_NONCE; // nonce
      return 0;
    case 7:
      if (json.keyHead == 0x64496e69616863) return rows.TX_CHAIN_ID; // chainId
      if (json.keyHead == 0x79746972615079) return rows.TX_Y_PARITY; // yParity
      return 0;
    case 8:
      if (json.keyHead == 0x6563697250736167) return rows.TX_GAS_PRICE; // gasPrice
      return 0;
    case 10:
      if (json.keyHead == 0x694c737365636361 && json.keyTail == 0x7473694c73736563) return rows.TX_HAS_ACCESSES; // accessList
      return 0;
    case 12:
      if (json.keyHead == 0x655065654678616d && json.keyTail == 0x7361477265506565) return rows.TX_MAX_FEE; // maxFeePerGas
      return 0;
    case 20:
      if (json.keyHead == 0x726f69725078616d && json.keyMiddle == 0x6550656546797469 && json.keyTail == 0x7361477265506565) return rows.TX_MAX_PRIORITY_FEE; // maxPriorityFeePerGas
      return 0;
    default:
      return 0;
  }
}

/** 0: none that is read. */
export function receiptSlot(): usize {
  switch (json.keyLength) {
    case 4:
      if (json.keyHead == 0x73676f6c) return rows.RECEIPT_HAS_LOGS; // logs
      if (json.keyHead == 0x6d6f7266) return rows.RECEIPT_FROM; // from
      return 0;
    case 5:
      if (json.keyHead == 0x656546316c) return rows.RECEIPT_L1_FEE; // l1Fee
      return 0;
    case 6:
      if (json.keyHead == 0x737574617473) return rows.RECEIPT_STATUS; // status
      return 0;
    case 7:
      if (json.keyHead == 0x64657355736167) return rows.RECEIPT_GAS_USED; // gasUsed
      return 0;
    case 9:
      if (json.keyHead == 0x6f6f6c4273676f6c && json.keyTail == 0x6d6f6f6c4273676f) return rows.RECEIPT_BLOOM; // logsBloom
      if (json.keyHead == 0x7361486b636f6c62 && json.keyTail == 0x687361486b636f6c) return rows.RECEIPT_BLOCK_HASH; // blockHash
      return 0;
    case 11:
      if (json.keyHead == 0x55736147626f6c62 && json.keyTail == 0x6465735573614762) return rows.RECEIPT_BLOB_GAS_USED; // blobGasUsed
      return 0;
    case 12:
      if (json.keyHead == 0x50736147626f6c62 && json.keyTail == 0x6563697250736147) return rows.RECEIPT_BLOB_GAS_PRICE; // blobGasPrice
      return 0;
    case 15:
      if (json.keyHead == 0x746361736e617274 && json.keyTail == 0x687361486e6f6974) return rows.RECEIPT_TX_HASH; // transactionHash
      if (json.keyHead == 0x74636172746e6f63 && json.keyTail == 0x7373657264644174) return rows.RECEIPT_CONTRACT; // contractAddress
      return 0;
    case 16:
      if (json.keyHead == 0x746361736e617274 && json.keyTail == 0x7865646e496e6f69) return rows.RECEIPT_TX_INDEX; // transactionIndex
      return 0;
    case 17:
      if (json.keyHead == 0x6974616c756d7563 && json.keyMiddle == 0x6573557361476576 && json.keyTail == 0x6465735573614765) return rows.RECEIPT_CUMULATIVE_GAS; // cumulativeGasUsed
      if (json.keyHead == 0x7669746365666665 && json.keyMiddle == 0x6369725073614765 && json.keyTail == 0x6563697250736147) return rows.RECEIPT_GAS_PRICE; // effectiveGasPrice
      if (json.keyHead == 0x726f74617265706f && json.keyMiddle == 0x616c616353656546 && json.keyTail == 0x72616c6163536565) return rows.RECEIPT_OPERATOR_SCALAR; // operatorFeeScalar
      return 0;
    case 19:
      if (json.keyHead == 0x726f74617265706f && json.keyMiddle == 0x74736e6f43656546 && json.keyTail == 0x746e6174736e6f43) return rows.RECEIPT_OPERATOR_CONSTANT; // operatorFeeConstant
      return 0;
    case 20:
      if (json.keyHead == 0x7270746f6f466164 && json.keyMiddle == 0x6353736147746e69 && json.keyTail == 0x72616c6163537361) return rows.RECEIPT_FOOTPRINT_SCALAR; // daFootprintGasScalar
      return 0;
    default:
      return 0;
  }
}

@inline
export function isResult(): bool {
  return json.keyLength == 6 && json.keyHead == 0x746c75736572;
}

@inline
export function isError(): bool {
  return json.keyLength == 5 && json.keyHead == 0x726f727265;
}

@inline
export function isId(): bool {
  return json.keyLength == 2 && json.keyHead == 0x6469;
}

@inline
export function isTransactions(): bool {
  return json.keyLength == 12 && json.keyHead == 0x746361736e617274 && json.keyTail == 0x736e6f6974636173;
}

@inline
export function isWithdrawals(): bool {
  return json.keyLength == 11 && json.keyHead == 0x7761726468746977 && json.keyTail == 0x736c617761726468;
}

@inline
export function isIndex(): bool {
  return json.keyLength == 5 && json.keyHead == 0x7865646e69;
}

@inline
export function isAmount(): bool {
  return json.keyLength == 6 && json.keyHead == 0x746e756f6d61;
}

@inline
export function isAddress(): bool {
  return json.keyLength == 7 && json.keyHead == 0x73736572646461;
}

@inline
export function isValidatorIndex(): bool {
  return json.keyLength == 14 && json.keyHead == 0x6f746164696c6176 && json.keyTail == 0x7865646e49726f74;
}

@inline
export function isData(): bool {
  return json.keyLength == 4 && json.keyHead == 0x61746164;
}

@inline
export function isTopics(): bool {
  return json.keyLength == 6 && json.keyHead == 0x736369706f74;
}
