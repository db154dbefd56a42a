import type { Hex } from 'viem';
import { data, encodeRlp, quantity } from './encode-rlp.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import type { RawReceipt } from './raw-block.ts';

/**
 * The encoding of a receipt under `receiptsRoot` (EIP-658, EIP-2718; OP stack deposits from Canyon on carry
 * two fields more).
 * @throws InvalidHexError
 */
export function encodeReceipt(receipt: RawReceipt, type: number): Uint8Array {
  const hasNonce = type === 0x7e && typeof receipt.depositReceiptVersion === 'string';
  return encodeRlp(
    [
      typeof receipt.status === 'string' ? quantity(receipt.status) : data(receipt.root),
      quantity(receipt.cumulativeGasUsed),
      bloomOf(receipt),
      receipt.logs.map(({ address, topics, data: content }) => [
        data(address),
        topics.map(data),
        data(content),
      ]),
      ...(hasNonce ? [quantity(receipt.depositNonce), quantity(receipt.depositReceiptVersion)] : []),
    ],
    type,
  );
}

/** The root proves the node's bloom, so it need not be computed. Some nodes leave it out. */
function bloomOf(receipt: RawReceipt): Hex {
  const { logs, logsBloom } = receipt;
  return logs.length > 0 && typeof logsBloom === 'string' && logsBloom.length > 2
    ? data(logsBloom)
    : data(computeLogsBloom([receipt]));
}
