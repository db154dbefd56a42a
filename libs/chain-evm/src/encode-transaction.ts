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
  switch (type) {
    case 0:
      writeLegacy(writer, transaction);
      writer.list(mark);
      return true;
    case 1:
      writeAccessList(writer, transaction);
      break;
    case 2:
      writeDynamicFee(writer, transaction);
      break;
    case 3:
      writeBlob(writer, transaction);
      break;
    case 4:
      writeSetCode(writer, transaction);
      break;
    case 0x7e:
      writeDeposit(writer, transaction);
      break;
    default:
      if (!encodeArbitrumTransaction(writer, transaction, type)) return false;
  }
  writer.list(mark);
  writer.byte(type);
  return true;
}

function writeLegacy(writer: RlpWriter, tx: RawTransaction): void {
  writer.quantity(tx.s);
  writer.quantity(tx.r);
  writer.quantity(tx.v);
  writeCall(writer, tx);
  writer.quantity(tx.gas);
  writer.quantity(tx.gasPrice);
  writer.quantity(tx.nonce);
}

/** EIP-2930. */
function writeAccessList(writer: RlpWriter, tx: RawTransaction): void {
  writeSignature(writer, tx);
  writeAccesses(writer, tx.accessList);
  writeCall(writer, tx);
  writer.quantity(tx.gas);
  writer.quantity(tx.gasPrice);
  writer.quantity(tx.nonce);
  writer.quantity(tx.chainId);
}

/** EIP-1559. */
function writeDynamicFee(writer: RlpWriter, tx: RawTransaction): void {
  writeSignature(writer, tx);
  writeAccesses(writer, tx.accessList);
  writeCall(writer, tx);
  writeFeeFields(writer, tx);
}

/** EIP-4844, as in a block: without the blobs. */
function writeBlob(writer: RlpWriter, tx: RawTransaction): void {
  writeSignature(writer, tx);
  const mark = writer.size;
  for (const hash of tx.blobVersionedHashes?.toReversed() ?? []) writer.data(hash);
  writer.list(mark);
  writer.quantity(tx.maxFeePerBlobGas);
  writeAccesses(writer, tx.accessList);
  writeCall(writer, tx);
  writeFeeFields(writer, tx);
}

/** EIP-7702. */
function writeSetCode(writer: RlpWriter, tx: RawTransaction): void {
  writeSignature(writer, tx);
  writeAuthorizations(writer, tx.authorizationList);
  writeAccesses(writer, tx.accessList);
  writeCall(writer, tx);
  writeFeeFields(writer, tx);
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

function writeFeeFields(writer: RlpWriter, tx: RawTransaction): void {
  writer.quantity(tx.gas);
  writer.quantity(tx.maxFeePerGas);
  writer.quantity(tx.maxPriorityFeePerGas);
  writer.quantity(tx.nonce);
  writer.quantity(tx.chainId);
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
