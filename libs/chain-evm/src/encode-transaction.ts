import { encodeArbitrumTransaction } from './encode-arbitrum-transaction.ts';
import type { RawAccess, RawAuthorization, RawTransaction } from './raw-block.ts';
import type { RlpWriter } from './rlp-writer.ts';

/** EIP-2718 type of a transaction or receipt; nodes leave the field out for legacy ones. */
export function typeOf(item: { readonly type?: string | null }): number {
  return typeof item.type === 'string' ? Number(item.type) : 0;
}

const encodedTypes = new Set([0, 1, 2, 3, 4, 0x7e, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a]);

/** Whether transactions of this type can be written here. */
export function isEncoded(type: number): boolean {
  return encodedTypes.has(type);
}

/**
 * Writes a transaction as `transactionsRoot` holds it.
 * @returns false, and nothing is written, when the encoding of its type is not known
 */
export function encodeTransaction(writer: RlpWriter, transaction: RawTransaction): boolean {
  const type = typeOf(transaction);
  const mark = writer.size;
  if (type === 0) {
    writer.quantity(transaction.s);
    writer.quantity(transaction.r);
    writer.quantity(transaction.v);
    writeLegacy(writer, transaction);
  } else if (type <= 4) {
    writeSignature(writer, transaction);
    writeTyped(writer, transaction, type);
  } else if (type === 0x7e) {
    writeDeposit(writer, transaction);
  } else if (!encodeArbitrumTransaction(writer, transaction, type)) {
    return false;
  }
  writer.list(mark);
  if (type !== 0) writer.byte(type);
  return true;
}

/**
 * Writes what the sender of a transaction of types 0 to 4 signed.
 * @param chainId of a legacy transaction that names its chain (EIP-155)
 */
export function encodeSigned(
  writer: RlpWriter,
  transaction: RawTransaction,
  chainId: bigint | undefined,
): void {
  const type = typeOf(transaction);
  const mark = writer.size;
  if (type !== 0) {
    writeTyped(writer, transaction, type);
  } else {
    if (chainId !== undefined) {
      writer.byte(0x80);
      writer.byte(0x80);
      writer.quantity(`0x${chainId.toString(16)}`);
    }
    writeLegacy(writer, transaction);
  }
  writer.list(mark);
  if (type !== 0) writer.byte(type);
}

function writeLegacy(writer: RlpWriter, tx: RawTransaction): void {
  writeCall(writer, tx);
  writer.quantity(tx.gas);
  writer.quantity(tx.gasPrice);
  writer.quantity(tx.nonce);
}

/** Types 1 (EIP-2930), 2 (EIP-1559), 3 (EIP-4844, as in a block: without the blobs) and 4 (EIP-7702). */
function writeTyped(writer: RlpWriter, tx: RawTransaction, type: number): void {
  if (type === 3) {
    const mark = writer.size;
    for (const hash of tx.blobVersionedHashes?.toReversed() ?? []) writer.data(hash);
    writer.list(mark);
    writer.quantity(tx.maxFeePerBlobGas);
  } else if (type === 4) {
    writeAuthorizations(writer, tx.authorizationList);
  }
  writeAccesses(writer, tx.accessList);
  writeCall(writer, tx);
  writer.quantity(tx.gas);
  if (type === 1) {
    writer.quantity(tx.gasPrice);
  } else {
    writer.quantity(tx.maxFeePerGas);
    writer.quantity(tx.maxPriorityFeePerGas);
  }
  writer.quantity(tx.nonce);
  writer.quantity(tx.chainId);
}

/** OP stack deposit (specs, "Deposits": the deposited transaction type). */
function writeDeposit(writer: RlpWriter, tx: RawTransaction): void {
  writer.data(tx.input);
  writer.byte(tx.isSystemTx === true ? 1 : 0x80);
  writer.quantity(tx.gas);
  writer.quantity(tx.value);
  writer.quantity(tx.mint);
  writer.data(tx.to);
  writer.data(tx.from);
  writer.data(tx.sourceHash);
}

function writeCall(writer: RlpWriter, tx: RawTransaction): void {
  writer.data(tx.input);
  writer.quantity(tx.value);
  writer.data(tx.to);
}

function writeSignature(writer: RlpWriter, tx: RawTransaction | RawAuthorization): void {
  writer.quantity(tx.s);
  writer.quantity(tx.r);
  writer.quantity(tx.yParity ?? tx.v);
}

function writeAccesses(writer: RlpWriter, accesses: readonly RawAccess[] | null | undefined): void {
  const mark = writer.size;
  for (const access of accesses?.toReversed() ?? []) {
    const entry = writer.size;
    for (const key of access.storageKeys.toReversed()) writer.data(key);
    writer.list(entry);
    writer.data(access.address);
    writer.list(entry);
  }
  writer.list(mark);
}

function writeAuthorizations(writer: RlpWriter, list: readonly RawAuthorization[] | null | undefined): void {
  const mark = writer.size;
  for (const authorization of list?.toReversed() ?? []) {
    const entry = writer.size;
    writeSignature(writer, authorization);
    writer.quantity(authorization.nonce);
    writer.data(authorization.address);
    writer.quantity(authorization.chainId);
    writer.list(entry);
  }
  writer.list(mark);
}
