import type { Hex } from 'viem';
import { data, encodeRlp, keccak256Hex, quantity } from './encode-rlp.ts';
import type { RlpItem } from './encode-rlp.ts';
import type { RawAuthorization, RawReceipt, RawTransaction } from './raw-block.ts';
import { type Stack, TYPES_OF_STACK } from './types-of-stack.ts';

/** EIP-2718 type of a transaction or receipt; nodes leave the field out for legacy ones. */
export function typeOf(item: { readonly type?: string | null }): number {
  return typeof item.type === 'string' ? Number(item.type) : 0;
}

type Fields = (tx: RawTransaction) => readonly RlpItem[];

/**
 * The fields that the sender signed, by type, in their order. Not viem's `serializeTransaction`: it is for
 * wallets, and refuses transactions that blocks do hold (docs/adr/0003-evm-completeness.md).
 * encode-transaction.spec.ts compares the two.
 */
const signedFields: Readonly<Record<number, Fields>> = {
  0: (tx) => [quantity(tx.nonce), quantity(tx.gasPrice), ...callOf(tx)],
  1: (tx) => [quantity(tx.chainId), quantity(tx.nonce), quantity(tx.gasPrice), ...callOf(tx), accessesOf(tx)],
  2: feeMarketFields,
  // As in a block: without the blobs.
  3: (tx) => [
    ...feeMarketFields(tx),
    quantity(tx.maxFeePerBlobGas),
    (tx.blobVersionedHashes ?? []).map(data),
  ],
  4: (tx) => [...feeMarketFields(tx), (tx.authorizationList ?? []).map(authorizationFields)],
};

/** Whether transactions of this type can be encoded here. */
export function isEncoded(type: number, stack: Stack): boolean {
  return type in signedFields || typeof TYPES_OF_STACK[stack][type] === 'function';
}

/** Whether the blocks of a stack may hold transactions of this type. */
export function isOfStack(type: number, stack: Stack): boolean {
  return type in signedFields || type in TYPES_OF_STACK[stack];
}

/**
 * The encoding of a transaction under `transactionsRoot`; undefined when that of its type is not known on this stack.
 * @throws InvalidHexError
 */
export function encodeTransaction(tx: RawTransaction, stack: Stack): Uint8Array | undefined {
  const type = typeOf(tx);
  const signed = signedFields[type];
  if (signed !== undefined)
    return encodeRlp([...signed(tx), ...signatureFields(tx, type === 0 ? tx.v : (tx.yParity ?? tx.v))], type);
  return TYPES_OF_STACK[stack][type]?.(tx);
}

/**
 * The bytes that the sender of a transaction of types 0 to 4 signed.
 * @param chainId of a legacy transaction that names its chain (EIP-155)
 */
export function encodeSigned(tx: RawTransaction, chainId: bigint | undefined): Uint8Array {
  const type = typeOf(tx);
  const chain: Hex[] = chainId === undefined ? [] : [quantity(`0x${chainId.toString(16)}`), '0x', '0x'];
  return encodeRlp([...(signedFields[type]?.(tx) ?? []), ...chain], type);
}

/**
 * Address of the contract that a transaction creates: the last 20 bytes of keccak-256 of rlp([sender, nonce]) (Yellow Paper,
 * 7). Receipts also name it, but no root covers that field. Undefined where the nonce is not proved: deposits
 * of the OP stack before Canyon, Arbitrum's messages from contracts.
 */
export function computeCreatedContract(tx: RawTransaction, receipt: RawReceipt): string | undefined {
  if (tx.to !== null && tx.to !== undefined) return undefined;
  const nonce = provedNonce(tx, receipt);
  if (typeof nonce !== 'string') return undefined;
  return `0x${keccak256Hex(encodeRlp([data(tx.from), quantity(nonce)])).slice(24)}`;
}

function provedNonce(tx: RawTransaction, receipt: RawReceipt): string | null | undefined {
  const type = typeOf(tx);
  if (type <= 4 || type === 0x65) return tx.nonce;
  // The receipts root covers either both fields or neither.
  if (type === 0x7e && typeof receipt.depositReceiptVersion === 'string') return receipt.depositNonce;
  return undefined;
}

function feeMarketFields(tx: RawTransaction): readonly RlpItem[] {
  return [
    quantity(tx.chainId),
    quantity(tx.nonce),
    quantity(tx.maxPriorityFeePerGas),
    quantity(tx.maxFeePerGas),
    ...callOf(tx),
    accessesOf(tx),
  ];
}

function callOf(tx: RawTransaction): readonly Hex[] {
  return [quantity(tx.gas), data(tx.to), quantity(tx.value), data(tx.input)];
}

function accessesOf(tx: RawTransaction): RlpItem {
  return (tx.accessList ?? []).map(({ address, storageKeys }) => [data(address), storageKeys.map(data)]);
}

function authorizationFields(authorization: RawAuthorization): RlpItem {
  const { chainId, address, nonce, yParity, v } = authorization;
  return [quantity(chainId), data(address), quantity(nonce), ...signatureFields(authorization, yParity ?? v)];
}

function signatureFields(
  { r, s }: Pick<RawTransaction, 'r' | 's'>,
  parity: string | null | undefined,
): readonly Hex[] {
  return [quantity(parity), quantity(r), quantity(s)];
}
