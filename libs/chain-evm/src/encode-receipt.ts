import { addToBloom } from './logs-bloom.ts';
import type { RawReceipt } from './raw-block.ts';
import type { RlpWriter } from './rlp-writer.ts';

const zeroBloom = `0x${'0'.repeat(512)}`;
const bloomLength = 256;

/** Writes a receipt as `receiptsRoot` holds it (EIP-658, EIP-2718; OP stack deposits from Canyon on carry two fields more). */
export function encodeReceipt(writer: RlpWriter, receipt: RawReceipt, type: number): void {
  const mark = writer.size;
  if (type === 0x7e && typeof receipt.depositReceiptVersion === 'string') {
    writer.quantity(receipt.depositReceiptVersion);
    writer.quantity(receipt.depositNonce);
  }
  writeLogs(writer, receipt);
  writeBloom(writer, receipt);
  writer.quantity(receipt.cumulativeGasUsed);
  if (typeof receipt.status === 'string') writer.quantity(receipt.status);
  else writer.data(receipt.root);
  writer.list(mark);
  if (type !== 0) writer.byte(type);
}

function writeLogs(writer: RlpWriter, receipt: RawReceipt): void {
  const mark = writer.size;
  for (let i = receipt.logs.length - 1; i >= 0; i--) {
    const log = receipt.logs[i];
    if (log === undefined) continue;
    const entry = writer.size;
    writer.data(log.data);
    const topics = writer.size;
    for (let j = log.topics.length - 1; j >= 0; j--) writer.data(log.topics[j]);
    writer.list(topics);
    writer.data(log.address);
    writer.list(entry);
  }
  writer.list(mark);
}

/** The node's bloom is as good as a computed one: the root proves it. Some nodes leave it out. */
function writeBloom(writer: RlpWriter, receipt: RawReceipt): void {
  const bloom = receipt.logsBloom;
  const mark = writer.size;
  if (receipt.logs.length === 0 || bloom === zeroBloom) writer.zeros(bloomLength);
  else if (typeof bloom === 'string' && bloom.length > 2) return writer.data(bloom);
  else writer.bytes(addToBloom(new Uint8Array(bloomLength), receipt.logs));
  writer.text(mark);
}
