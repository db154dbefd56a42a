// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';
import type { PublicKey } from '@solana/web3.js';
import type * as Binding from 'litesvm/dist/internal.js';

/** The native binding without its typed client: everything goes in and out as bytes. */
export const { LiteSvm, Account, Clock } = createRequire(import.meta.url)(
  'litesvm/dist/internal.js',
) as typeof Binding;
export type LiteSvm = InstanceType<typeof LiteSvm>;
export type Account = InstanceType<typeof Account>;
export type TransactionMetadata = Binding.TransactionMetadata;
export type TransactionResult = ReturnType<LiteSvm['sendVersionedTransaction']>;
export type TransactionFailure = Exclude<TransactionResult, TransactionMetadata>;

export function readAccount(vm: LiteSvm, key: PublicKey): Account | null {
  return vm.getAccount(key.toBytes());
}

/** Puts an account back as it was; what did not exist is removed. */
export function restoreAccount(vm: LiteSvm, key: Uint8Array, account: Account | null): void {
  vm.setAccount(key, account ?? new Account(0n, new Uint8Array(), new Uint8Array(32), false, 0n));
}
