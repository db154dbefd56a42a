// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import type { Instruction, ParsedTransaction } from './parse-transaction.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  TOKEN_PROGRAMS_BYTES,
  TRANSPARENT_PROGRAMS,
} from './programs.ts';

/** What an instruction of a token program did. Accounts are token accounts; `mint` is absent where it is not named. */
export type TokenStep = { readonly isClassic: boolean } & (
  | {
      readonly type: 'move';
      /** Absent: minted. */
      readonly from?: string;
      /** Absent: burned. */
      readonly to?: string;
      readonly mint?: string;
      readonly amountRaw: bigint;
      /** The owner of `from`, or its delegate. */
      readonly authority?: string;
    }
  /** Created with this owner. */
  | { readonly type: 'open'; readonly account: string; readonly mint: string; readonly owner: string }
  /** Only the owner can do this, or the program compares it. */
  | { readonly type: 'owned'; readonly account: string; readonly mint?: string; readonly owner: string }
  | { readonly type: 'handover'; readonly account: string; readonly from: string; readonly to: string }
  | { readonly type: 'close'; readonly account: string; readonly authority?: string }
  /** Amounts may change in a way that the instruction does not state. `isAny`: it may be any of these, as its data is not read. */
  | { readonly type: 'unread'; readonly accounts: readonly string[]; readonly isAny?: true }
);

type WithoutFlag<T> = T extends unknown ? Omit<T, 'isClassic'> : never;
type Step = WithoutFlag<TokenStep>;

/** Instructions of the token program that change neither amounts nor owners, by number. */
const HARMLESS: ReadonlySet<number> = new Set([
  ...[0, 20], // InitializeMint
  ...[2, 19], // InitializeMultisig
  ...[5, 10, 11], // Revoke, FreezeAccount, ThawAccount
  ...[21, 22, 23, 24], // GetAccountDataSize, InitializeImmutableOwner, AmountToUiAmount, UiAmountToAmount
]);
const ACCOUNT_OWNER = 2;

/** Whether the transaction names a token program; nothing of one runs otherwise. Its keys are not spelt for that. */
export function namesTokenProgram(tx: ParsedTransaction): boolean {
  const { wire, meta, keyCount } = tx;
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys =
    wire === undefined
      ? Array.from({ length: keyCount }, (_, index) => tx.keyAt(index))
      : [...writable, ...readonly];
  return (
    TOKEN_PROGRAMS_BYTES.some((program) => wire?.hasKey(program) === true) ||
    keys.includes(TOKEN_PROGRAM) ||
    keys.includes(TOKEN_2022_PROGRAM)
  );
}

/** Whether a program may have moved tokens in a call that the node did not record. */
export function hidesCalls(tx: ParsedTransaction): boolean {
  if (tx.hidesInstructions === true) return true;
  if (Array.isArray(tx.meta.innerInstructions)) return false;
  for (const { program } of tx.instructions()) if (!TRANSPARENT_PROGRAMS.has(program)) return true;
  return false;
}

/** Steps of outer instructions, then of inner ones. */
export function* readTokenSteps(tx: ParsedTransaction): Generator<TokenStep> {
  for (const instruction of tx.instructions()) {
    const isClassic = instruction.program === TOKEN_PROGRAM;
    if (instruction.program === ASSOCIATED_TOKEN_PROGRAM) {
      const step = readAssociated(instruction);
      if (step !== undefined) yield { ...step, isClassic };
    } else if (isClassic || instruction.program === TOKEN_2022_PROGRAM) {
      const step = readStep(instruction);
      if (step !== undefined) yield { ...step, isClassic };
    }
  }
}

/** Create and CreateIdempotent: both end with an account of that owner. */
function readAssociated({ accountAt, readData }: Instruction): Step | undefined {
  const [account, owner, mint] = [accountAt(1), accountAt(2), accountAt(3)];
  const data = readData();
  if (data === undefined || (data[0] ?? 0) > 1 || account === undefined || owner === undefined)
    return undefined;
  return { type: 'owned', account, owner, mint };
}

function readStep(instruction: Instruction): Step | undefined {
  const data = instruction.readData();
  if (data === undefined) return { type: 'unread', accounts: listAccounts(instruction), isAny: true };
  const tag = data[0];
  if (tag === undefined || HARMLESS.has(tag)) return undefined;
  return readKnown(instruction, tag, data) ?? { type: 'unread', accounts: listAccounts(instruction) };
}

function readKnown({ accountAt }: Instruction, tag: number, data: Uint8Array): Step | undefined {
  const [first, second, third, fourth] = [accountAt(0), accountAt(1), accountAt(2), accountAt(3)];
  if (first === undefined) return undefined;
  switch (tag) {
    case 1: // InitializeAccount
      return second && third ? { type: 'open', account: first, mint: second, owner: third } : undefined;
    case 16: // InitializeAccount2
    case 18: // InitializeAccount3
      return second && data.length >= 33
        ? { type: 'open', account: first, mint: second, owner: keyIn(data, 1) }
        : undefined;
    case 3: // Transfer
      return move(data, { from: first, to: second, authority: third });
    case 12: // TransferChecked
      return move(data, { from: first, mint: second, to: third, authority: fourth });
    case 7: // MintTo
    case 14: // MintToChecked
      return second === undefined ? undefined : move(data, { mint: first, to: second });
    case 8: // Burn
    case 15: // BurnChecked
      return move(data, { from: first, mint: second, authority: third });
    case 4: // Approve
      return third ? { type: 'owned', account: first, owner: third } : undefined;
    case 13: // ApproveChecked
      return fourth ? { type: 'owned', account: first, mint: second, owner: fourth } : undefined;
    case 6: // SetAuthority
      if (data[1] !== ACCOUNT_OWNER) return { type: 'unread', accounts: [] };
      return second && data.length >= 35
        ? { type: 'handover', account: first, from: second, to: keyIn(data, 3) }
        : undefined;
    case 9: // CloseAccount
      return { type: 'close', account: first, authority: third };
    default:
      return undefined;
  }
}

type Move = Omit<Extract<Step, { readonly type: 'move' }>, 'type' | 'amountRaw'>;

function move(data: Uint8Array, sides: Move): Step | undefined {
  if (data.length < 9) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return { type: 'move', ...sides, amountRaw: view.getBigUint64(1, true) };
}

const keyIn = (data: Uint8Array, offset: number): string => base58.encode(data.subarray(offset, offset + 32));

function listAccounts({ accountAt }: Instruction): string[] {
  const accounts: string[] = [];
  for (let at = 0, key = accountAt(0); key !== undefined; key = accountAt((at += 1))) accounts.push(key);
  return accounts;
}
