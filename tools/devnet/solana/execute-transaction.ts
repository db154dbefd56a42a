// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { readAccount, type Account, type LiteSvm, type TransactionMetadata } from './litesvm.ts';
import { decimalsOf, findTokenAccount, toTokenAmount } from './token-accounts.ts';
import { describeError, type RpcTransactionError } from './transaction-error.ts';
import { readSignature } from './version-1.ts';

/** What a node keeps of a transaction that stands in a block: plain data, so that it can be written to disk. */
export interface ExecutedTransaction {
  readonly bytes: Uint8Array;
  /** Static keys, then the loaded ones: what indexes point into. */
  readonly keys: readonly string[];
  readonly loaded: { readonly writable: readonly string[]; readonly readonly: readonly string[] };
  readonly error: RpcTransactionError | undefined;
  readonly fee: bigint;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly object[];
  readonly postTokenBalances: readonly object[];
  readonly outcome: Outcome;
}

interface Outcome {
  readonly logs: readonly string[];
  readonly units: number;
  readonly inner: readonly { readonly index: number; readonly instructions: readonly InnerInstruction[] }[];
  readonly returned?: { readonly programId: Uint8Array; readonly data: Uint8Array };
}

interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
}

export type Execution =
  | {
      readonly type: 'executed';
      readonly executed: ExecutedTransaction;
      readonly before: ReadonlyMap<PublicKey, Account | null>;
    }
  /** Nobody pays for it: it has no effect, and stands in no block before SIMD-0290. */
  | {
      readonly type: 'refused';
      readonly error: RpcTransactionError;
      readonly executed: ExecutedTransaction;
    };

const TABLE_HEADER_BYTES = 56;

/** Runs a signed transaction on the state of `vm`. */
export function executeTransaction(vm: LiteSvm, bytes: Uint8Array): Execution {
  const transaction = VersionedTransaction.deserialize(bytes);
  const loaded = loadAddresses(vm, transaction);
  const keys = [...transaction.message.staticAccountKeys, ...loaded.writable, ...loaded.readonly];
  const before = keys.map((key) => readAccount(vm, key));
  const preTokenBalances = listTokenBalances(vm, keys, before);
  const result = vm.sendVersionedTransaction(bytes);
  const isFailed = 'err' in result;
  const meta = isFailed ? result.meta() : result;
  const after = keys.map((key) => readAccount(vm, key));
  const [preBalances, postBalances] = [before, after].map((accounts) =>
    accounts.map((account) => account?.lamports() ?? 0n),
  ) as [bigint[], bigint[]];
  const error = isFailed ? describeError(result) : undefined;
  const executed: ExecutedTransaction = {
    bytes,
    error,
    preBalances,
    postBalances,
    preTokenBalances,
    keys: keys.map(String),
    loaded: { writable: loaded.writable.map(String), readonly: loaded.readonly.map(String) },
    outcome: toOutcome(meta),
    fee: sum(preBalances) - sum(postBalances),
    postTokenBalances: listTokenBalances(vm, keys, after),
  };
  if (error !== undefined && executed.fee === 0n) return { type: 'refused', error, executed };
  return {
    type: 'executed',
    before: new Map(keys.map((key, index) => [key, before[index]!])),
    executed,
  };
}

/** What names it: its first signature. */
export function signatureOf({ bytes }: Pick<ExecutedTransaction, 'bytes'>): string {
  return base58.encode(readSignature(bytes));
}

function toOutcome(meta: TransactionMetadata): Outcome {
  const returned = meta.returnData();
  const inner = meta.innerInstructions().map((list, index) => ({
    index,
    instructions: list.map((one) => {
      const compiled = one.instruction();
      return {
        programIdIndex: compiled.programIdIndex(),
        accounts: [...compiled.accounts()],
        data: compiled.data(),
        stackHeight: one.stackHeight(),
      };
    }),
  }));
  return {
    logs: meta.logs(),
    units: Number(meta.computeUnitsConsumed()),
    inner: inner.filter(({ instructions }) => instructions.length > 0),
    ...(returned.data().length === 0
      ? {}
      : { returned: { programId: returned.programId(), data: returned.data() } }),
  };
}

function loadAddresses(
  vm: LiteSvm,
  { message }: VersionedTransaction,
): { readonly writable: PublicKey[]; readonly readonly: PublicKey[] } {
  const writable: PublicKey[] = [];
  const readonly: PublicKey[] = [];
  for (const lookup of message.addressTableLookups) {
    const data = Buffer.from(readAccount(vm, lookup.accountKey)?.data() ?? []);
    const addressAt = (index: number): PublicKey =>
      new PublicKey(data.subarray(TABLE_HEADER_BYTES + 32 * index, TABLE_HEADER_BYTES + 32 * (index + 1)));
    for (const index of lookup.writableIndexes) if (isInside(data, index)) writable.push(addressAt(index));
    for (const index of lookup.readonlyIndexes) if (isInside(data, index)) readonly.push(addressAt(index));
  }
  return { writable, readonly };
}

const isInside = (data: Buffer, index: number): boolean =>
  data.length >= TABLE_HEADER_BYTES + 32 * (index + 1);
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

function listTokenBalances(
  vm: LiteSvm,
  keys: readonly PublicKey[],
  accounts: readonly (Account | null)[],
): object[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = keys[accountIndex] === undefined ? undefined : findTokenAccount(account);
    if (token === undefined) return [];
    const uiTokenAmount = toTokenAmount(token.amount, decimalsOf(vm, token.mint));
    return [
      {
        accountIndex,
        mint: token.mint.toBase58(),
        owner: token.owner.toBase58(),
        programId: token.programId.toBase58(),
        uiTokenAmount,
      },
    ];
  });
}
