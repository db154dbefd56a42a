// SPDX-License-Identifier: Apache-2.0
import { bytesOf, intOf, readFields } from '../../../libs/chain-tron/src/protobuf.ts';
import type { SignedTransaction, StoredBlock, StoredTransaction } from './tron-node.ts';

/** A block as the wallet API shows it: fields with their default value are left out. */
export function showBlock(block: StoredBlock, hasTransactions = true): object {
  const { header, transactions } = block;
  return {
    blockID: block.id,
    block_header: {
      raw_data: {
        ...(block.number > 0 && { number: block.number }),
        txTrieRoot: hex(header.txTrieRoot),
        witness_address: hex(header.witnessAddress),
        parentHash: hex(header.parentHash),
        ...(header.version > 0n && { version: Number(header.version) }),
        ...(block.timestampMs > 0 && { timestamp: block.timestampMs }),
      },
      ...(block.witnessSignature !== '' && { witness_signature: block.witnessSignature }),
    },
    ...(hasTransactions && transactions.length > 0 && { transactions: transactions.map(showTransaction) }),
  };
}

export function showTransaction(transaction: SignedTransaction | StoredTransaction): object {
  const { txid, rawData, signatures, call } = transaction;
  return {
    ...('contractRet' in transaction && { ret: [{ contractRet: transaction.contractRet }] }),
    signature: signatures,
    txID: txid,
    ...showRawData(rawData, call),
  };
}

/** `raw_data` and its bytes, as transactions carry them and `create…` methods answer. */
export function showRawData(
  rawData: Buffer,
  { name, value, permissionId }: SignedTransaction['call'],
): object {
  const fields = readFields(rawData);
  const feeLimit = Number(intOf(fields, 18));
  return {
    raw_data: {
      contract: [
        {
          parameter: { value, type_url: `type.googleapis.com/protocol.${name}` },
          type: name,
          ...(permissionId > 0 && { Permission_id: permissionId }),
        },
      ],
      ref_block_bytes: hex(bytesOf(fields, 1)),
      ref_block_hash: hex(bytesOf(fields, 4)),
      expiration: Number(intOf(fields, 8)),
      ...(fields.has(10) && { data: hex(bytesOf(fields, 10)) }),
      ...(feeLimit > 0 && { fee_limit: feeLimit }),
      timestamp: Number(intOf(fields, 14)),
    },
    raw_data_hex: hex(rawData),
  };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
