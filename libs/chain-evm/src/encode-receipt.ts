// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { data, encodeRlp, quantity } from './encode-rlp.ts';
import { computeLogsBloom } from './logs-bloom.ts';
import { typeOf } from './encode-transaction.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import { rulesOf, type Stack } from './types-of-stack.ts';

/**
 * The encoding of a receipt under `receiptsRoot` (EIP-658, EIP-2718), with what the transaction's type adds on its stack.
 * @throws InvalidHexError
 */
export function encodeReceipt(receipt: RawReceipt, tx: RawTransaction, stack: Stack): Uint8Array {
  const type = typeOf(tx);
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
      ...(rulesOf(type, stack)?.receiptTail?.(receipt, tx) ?? []),
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
