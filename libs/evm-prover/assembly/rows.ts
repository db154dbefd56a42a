// Tables of what the scanner found: a row each for transactions, receipts and logs, whose fields layout.ts has. A text in a
// row is its position and its length; a position of 0 is null, or a field that is not there.

import * as layout from './layout';

@inline
export function textAtOf(row: usize, slot: usize): usize {
  return load<u32>(row + slot);
}

@inline
export function lengthOf(row: usize, slot: usize): u32 {
  return load<u32>(row + slot, 4);
}

/** Whether a row has a text in this slot. */
@inline
export function has(row: usize, slot: usize): bool {
  return load<u32>(row + slot) != 0;
}

/** Memory that is free from here on. */
let top: usize = 0;

export function startTables(from: usize): void {
  top = (from + 15) & ~15;
}

/** Zeroed, at a multiple of 8; one after the other. */
export function allocate(size: usize): usize {
  const from = reserve(size);
  memory.fill(from, 0, size);
  return from;
}

/** As it was left, at a multiple of 8. */
export function reserve(size: usize): usize {
  const from = top;
  top = (top + size + 7) & ~7;
  const missing = <i32>((top + 0xffff) >>> 16) - memory.size();
  if (missing > 0 && memory.grow(max(missing, 64)) < 0) unreachable();
  return from;
}

// What a row of a log says of balances, as libs/contract-abi reads it.

// Digits of the events' hashes: Transfer(address,address,uint256), Approval(address,address,uint256),
// ApprovalForAll(address,address,bool).
const transferTopic: usize = memory.data<u64>([0x6461323532666464, 0x6239386332656231, 0x3836306232633936, 0x6161643837336366, 0x3166376162323539, 0x3631316134633336, 0x6434613535663832, 0x6665336233323566]);
const approvalTopic: usize = memory.data<u64>([0x3565316562356338, 0x6235643763656265, 0x3234313766343164, 0x3366343865316437, 0x3063343133306464, 0x6531393232623766, 0x3863613030326235, 0x3532396233633763]);
const approvalForAllTopic: usize = memory.data<u64>([0x6261653730333731, 0x3730313662613933, 0x3534383939383865, 0x6462393564336461, 0x3030326633353639, 0x3430323930323266, 0x3935623261633938, 0x3133633639363733]);

/** Three topics and one word of data. */
export function isTransfer(row: usize): bool {
  return load<u32>(row, layout.LOG_TOPIC_COUNT) == 3 && lengthOf(row, layout.LOG_DATA) == 66 && isTopic(row, transferTopic);
}

/** Something which is neither a transfer nor an approval, or a transfer in another form than these, ERC-721 apart. */
export function touchesBalances(row: usize): bool {
  const topicCount = load<u32>(row, layout.LOG_TOPIC_COUNT);
  if (topicCount == 0) return true;
  if (isTopic(row, transferTopic)) return topicCount != 4 && !isTransfer(row);
  return !isTopic(row, approvalTopic) && !isTopic(row, approvalForAllTopic);
}

/** Digits of an indexed address: the last forty of its topic. */
@inline
export function addressDigits(row: usize, topic: usize): usize {
  return load<u32>(row + layout.LOG_TOPICS + 4 * topic) + 26;
}

function isTopic(row: usize, digits: usize): bool {
  const topic: usize = load<u32>(row + layout.LOG_TOPICS) + 2;
  for (let i: usize = 0; i < 64; i += 8) if (load<u64>(topic + i) != load<u64>(digits + i)) return false;
  return true;
}
