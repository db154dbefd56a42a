// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { MessageV1, VersionedTransaction } from '@solana/web3.js';
import type { ExecutedTransaction } from './execute-transaction.ts';

export type TransactionEncoding = 'json' | 'jsonParsed' | 'base58' | 'base64';
export type TransactionDetails = 'full' | 'accounts' | 'signatures' | 'none';

interface EncodeOptions {
  readonly encoding: TransactionEncoding;
  /** Undefined: the caller takes legacy transactions only, and no version is told. */
  readonly versionMax?: number;
}

/** `transaction`, `meta` and `version` as getBlock and getTransaction tell them. */
export function encodeTransaction(executed: ExecutedTransaction, options: EncodeOptions): object {
  return {
    transaction: encodeBody(executed, options.encoding),
    meta: encodeMeta(executed),
    ...version(decode(executed), options),
  };
}

/** As getBlock tells it with `transactionDetails: "accounts"`. */
export function encodeAccounts(executed: ExecutedTransaction, options: EncodeOptions): object {
  const {
    innerInstructions: _inner,
    logMessages: _logs,
    loadedAddresses: _loaded,
    computeUnitsConsumed: _units,
    ...meta
  } = encodeMeta(executed) as Record<string, unknown>;
  return {
    transaction: { accountKeys: encodeKeys(executed), signatures: encodeSignatures(executed) },
    meta,
    ...version(decode(executed), options),
  };
}

export function encodeSignatures(executed: ExecutedTransaction): string[] {
  return decode(executed).signatures.map((signature) => base58.encode(signature));
}

function decode({ bytes }: ExecutedTransaction): VersionedTransaction {
  return VersionedTransaction.deserialize(bytes);
}

function version({ version: number }: VersionedTransaction, { versionMax }: EncodeOptions): object {
  return versionMax === undefined ? {} : { version: number };
}

function encodeBody(executed: ExecutedTransaction, encoding: TransactionEncoding): unknown {
  const { bytes } = executed;
  if (encoding === 'base64') return [Buffer.from(bytes).toString('base64'), 'base64'];
  if (encoding === 'base58') return [base58.encode(bytes), 'base58'];
  return {
    signatures: encodeSignatures(executed),
    message: encoding === 'json' ? encodeMessage(decode(executed)) : encodeParsedMessage(executed),
  };
}

function encodeMessage({ message }: VersionedTransaction): object {
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = message.header;
  return {
    header: { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts },
    accountKeys: message.staticAccountKeys.map((key) => key.toBase58()),
    recentBlockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIdIndex,
      accounts: [...accountKeyIndexes],
      data: base58.encode(data),
      stackHeight: 1,
    })),
    ...extras(message),
  };
}

/** Every instruction in the form of a program that the node has no parser for. */
function encodeParsedMessage(executed: ExecutedTransaction): object {
  const { message } = decode(executed);
  const keyAt = (index: number): string => executed.keys[index]!;
  return {
    accountKeys: encodeKeys(executed),
    recentBlockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programId: keyAt(programIdIndex),
      accounts: accountKeyIndexes.map(keyAt),
      data: base58.encode(data),
      stackHeight: 1,
    })),
    ...extras(message),
  };
}

/** Look-ups of version 0, the configuration of version 1. */
function extras(message: VersionedTransaction['message']): object {
  if (message.version === 'legacy') return {};
  if (message instanceof MessageV1) return { transactionConfig: message.transactionConfig };
  const addressTableLookups = message.addressTableLookups.map(
    ({ accountKey, writableIndexes, readonlyIndexes }) => ({
      accountKey: accountKey.toBase58(),
      writableIndexes: [...writableIndexes],
      readonlyIndexes: [...readonlyIndexes],
    }),
  );
  return { addressTableLookups };
}

function encodeKeys(executed: ExecutedTransaction): object[] {
  const { keys, loaded } = executed;
  const { message } = decode(executed);
  const staticCount = message.staticAccountKeys.length;
  return keys.map((key, index) => ({
    pubkey: key,
    signer: index < message.header.numRequiredSignatures,
    writable:
      index < staticCount ? message.isAccountWritable(index) : index < staticCount + loaded.writable.length,
    source: index < staticCount ? 'transaction' : 'lookupTable',
  }));
}

function encodeMeta(executed: ExecutedTransaction): object {
  const { error, fee, loaded } = executed;
  const { inner, logs, units, returned } = executed.outcome;
  return {
    err: error ?? null,
    status: error === undefined ? { Ok: null } : { Err: error },
    fee: Number(fee),
    preBalances: executed.preBalances.map(Number),
    postBalances: executed.postBalances.map(Number),
    preTokenBalances: executed.preTokenBalances,
    postTokenBalances: executed.postTokenBalances,
    innerInstructions: inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map((one) => ({ ...one, data: base58.encode(one.data) })),
    })),
    logMessages: logs,
    loadedAddresses: loaded,
    computeUnitsConsumed: units,
    rewards: [],
    ...(returned === undefined
      ? {}
      : {
          returnData: {
            programId: base58.encode(returned.programId),
            data: [Buffer.from(returned.data).toString('base64'), 'base64'],
          },
        }),
  };
}
