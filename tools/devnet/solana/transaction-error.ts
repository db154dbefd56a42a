// SPDX-License-Identifier: Apache-2.0
import type { TransactionFailure } from './litesvm.ts';

/** In the order of the runtime's numbers; what carries fields comes as an object of its own. */
const TRANSACTION_ERRORS = [
  'AccountInUse',
  'AccountLoadedTwice',
  'AccountNotFound',
  'ProgramAccountNotFound',
  'InsufficientFundsForFee',
  'InvalidAccountForFee',
  'AlreadyProcessed',
  'BlockhashNotFound',
  'CallChainTooDeep',
  'MissingSignatureForFee',
  'InvalidAccountIndex',
  'SignatureFailure',
  'InvalidProgramForExecution',
  'SanitizeFailure',
  'ClusterMaintenance',
  'AccountBorrowOutstanding',
  'WouldExceedMaxBlockCostLimit',
  'UnsupportedVersion',
  'InvalidWritableAccount',
  'WouldExceedMaxAccountCostLimit',
  'WouldExceedAccountDataBlockLimit',
  'TooManyAccountLocks',
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
  'InvalidRentPayingAccount',
  'WouldExceedMaxVoteCostLimit',
  'WouldExceedAccountDataTotalLimit',
  'MaxLoadedAccountsDataSizeExceeded',
  'ResanitizationNeeded',
  'InvalidLoadedAccountsDataSizeLimit',
  'UnbalancedTransaction',
  'ProgramCacheHitMaxLimit',
  'CommitCancelled',
] as const;

/** A transaction's error in the form of the JSON-RPC: `"AccountNotFound"`, `{"InstructionError":[0,{"Custom":1}]}`. */
export type RpcTransactionError = string | Readonly<Record<string, unknown>>;

export function describeError(failure: TransactionFailure): RpcTransactionError {
  const error = failure.err();
  if (typeof error === 'number') return TRANSACTION_ERRORS[error] ?? 'SanitizeFailure';
  if ('err' in error) return { InstructionError: [error.index, describeInstructionError(error)] };
  if ('accountIndex' in error) return { InsufficientFundsForRent: { account_index: error.accountIndex } };
  return { DuplicateInstruction: (error as { readonly index?: number }).index ?? 0 };
}

interface InstructionFailure {
  err(): unknown;
  toString(): string;
}

/** Errors without fields are numbers there; their names stand in the text. */
function describeInstructionError(failure: InstructionFailure): RpcTransactionError {
  const inner = failure.err();
  if (typeof inner === 'object' && inner !== null && 'code' in inner) return { Custom: inner.code };
  return /InstructionError\(\s*\d+,\s*(\w+)/.exec(failure.toString())?.[1] ?? 'GenericError';
}
