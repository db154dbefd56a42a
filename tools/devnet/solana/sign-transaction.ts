// SPDX-License-Identifier: Apache-2.0
import {
  TransactionMessage,
  VersionedTransaction,
  type AddressLookupTableAccount,
  type Keypair,
  type TransactionInstruction,
} from '@solana/web3.js';
import { compileV1, signV1, type RequestedConfig } from './version-1.ts';

export type SentVersion = 'legacy' | 0 | 1;

interface UnsignedTransaction {
  readonly instructions: readonly TransactionInstruction[];
  readonly payer: Keypair;
  /** Besides the payer. */
  readonly signers?: readonly Keypair[];
  readonly recentBlockhash: string;
  readonly version: SentVersion;
  /** Of version 0 alone. */
  readonly tables?: readonly AddressLookupTableAccount[];
  /** Of version 1 alone; default: LOCAL_LIMITS. */
  readonly config?: RequestedConfig | undefined;
}

/** Signs instructions as a transaction of a version. @returns the bytes that are sent */
export function signTransaction({
  instructions,
  payer,
  signers = [],
  recentBlockhash,
  version,
  tables = [],
  config,
}: UnsignedTransaction): Uint8Array {
  if (version === 1)
    return signV1(compileV1({ payer: payer.publicKey, recentBlockhash, instructions, config }), [
      payer,
      ...signers,
    ]);
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash,
    instructions: [...instructions],
  });
  const transaction = new VersionedTransaction(
    version === 'legacy' ? message.compileToLegacyMessage() : message.compileToV0Message([...tables]),
  );
  transaction.sign([payer, ...signers]);
  return transaction.serialize();
}
