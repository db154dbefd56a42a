// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { data, encodeRlp, keccak256Hex, quantity } from './encode-rlp.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import { type Fields, SIGNED_FIELDS, signatureFields } from './signed-fields.ts';
import { rulesOf, type Stack } from './types-of-stack.ts';

/** EIP-2718 type of a transaction or receipt; nodes leave the field out for legacy ones. */
export function typeOf(item: { readonly type?: string | null }): number {
  return typeof item.type === 'string' ? Number(item.type) : 0;
}

/** Whether transactions of this type can be encoded here. */
export function isEncoded(type: number, stack: Stack): boolean {
  return isSigned(type, stack) || typeof rulesOf(type, stack)?.encode === 'function';
}

/** Whether the blocks of a stack may hold transactions of this type. */
export function isOfStack(type: number, stack: Stack): boolean {
  return type in SIGNED_FIELDS || rulesOf(type, stack) !== undefined;
}

/** Whether a sender signs transactions of this type. */
export function isSigned(type: number, stack: Stack): boolean {
  return fieldsOf(type, stack) !== undefined;
}

/**
 * The encoding of a transaction under `transactionsRoot`; undefined when that of its type is not known on this stack.
 * @throws InvalidHexError
 */
export function encodeTransaction(tx: RawTransaction, stack: Stack): Uint8Array | undefined {
  const type = typeOf(tx);
  const signed = fieldsOf(type, stack);
  if (signed !== undefined)
    return encodeRlp([...signed(tx), ...signatureFields(tx, type === 0 ? tx.v : (tx.yParity ?? tx.v))], type);
  return rulesOf(type, stack)?.encode?.(tx);
}

/**
 * The bytes that the sender of a transaction signed.
 * @param of.chainId of a legacy transaction that names its chain (EIP-155)
 */
export function encodeSigned(
  tx: RawTransaction,
  { chainId, stack }: { readonly chainId: bigint | undefined; readonly stack: Stack },
): Uint8Array {
  const type = typeOf(tx);
  const chain: Hex[] = chainId === undefined ? [] : [quantity(`0x${chainId.toString(16)}`), '0x', '0x'];
  return encodeRlp([...(fieldsOf(type, stack)?.(tx) ?? []), ...chain], type);
}

/**
 * Address of the contract that a transaction creates: the last 20 bytes of keccak-256 of rlp([sender, nonce]) (Yellow Paper,
 * 7). Receipts also name it, but no root covers that field. Undefined where the nonce is not proved: deposits
 * of the OP stack before Canyon, Arbitrum's messages from contracts.
 */
export function computeCreatedContract(
  tx: RawTransaction,
  receipt: RawReceipt,
  stack: Stack,
): string | undefined {
  if (tx.to !== null && tx.to !== undefined) return undefined;
  const nonce = provedNonce(tx, receipt, stack);
  if (typeof nonce !== 'string') return undefined;
  return `0x${keccak256Hex(encodeRlp([data(tx.from), quantity(nonce)])).slice(24)}`;
}

function provedNonce(tx: RawTransaction, receipt: RawReceipt, stack: Stack): string | null | undefined {
  const type = typeOf(tx);
  return type in SIGNED_FIELDS ? tx.nonce : rulesOf(type, stack)?.nonce?.(tx, receipt);
}

function fieldsOf(type: number, stack: Stack): Fields | undefined {
  return SIGNED_FIELDS[type] ?? rulesOf(type, stack)?.signed;
}
