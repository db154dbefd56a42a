// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';
import type { Account, LiteSvm } from './litesvm.ts';

export const TOKEN_PROGRAM = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');

const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
const KIND_MINT = 1;
const KIND_ACCOUNT = 2;

/** Of a token account's data, whichever of the two programs owns it. */
export interface TokenAccount {
  readonly mint: PublicKey;
  readonly owner: PublicKey;
  readonly amount: bigint;
  readonly programId: PublicKey;
}

export interface TokenAmount {
  readonly amount: string;
  readonly decimals: number;
  readonly uiAmount: number | null;
  readonly uiAmountString: string;
}

export function findTokenAccount(account: Account | null): TokenAccount | undefined {
  const programId = programOf(account);
  const data = Buffer.from(account?.data() ?? []);
  if (programId === undefined || !isKind(data, ACCOUNT_BYTES, KIND_ACCOUNT) || data[108] === 0)
    return undefined;
  return {
    mint: new PublicKey(data.subarray(0, 32)),
    owner: new PublicKey(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    programId,
  };
}

export function findMint(
  account: Account | null,
): { readonly supply: bigint; readonly decimals: number } | undefined {
  const data = Buffer.from(account?.data() ?? []);
  if (programOf(account) === undefined || !isKind(data, MINT_BYTES, KIND_MINT) || data[45] === 0)
    return undefined;
  return { supply: data.readBigUInt64LE(36), decimals: data[44]! };
}

export function decimalsOf(vm: LiteSvm, mint: PublicKey): number {
  return findMint(vm.getAccount(mint.toBytes()))?.decimals ?? 0;
}

export function toTokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return {
    amount: amount.toString(),
    decimals,
    uiAmount: amount === 0n ? null : Number(text),
    uiAmountString: text,
  };
}

function programOf(account: Account | null): PublicKey | undefined {
  const owner = account === null ? undefined : new PublicKey(account.owner());
  return [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].find((program) => owner?.equals(program));
}

/** With extensions a mint is padded to the size of an account, and a byte behind it tells which of the two it is. */
function isKind(data: Buffer, bytes: number, kind: number): boolean {
  if (data.length === bytes) return true;
  return data.length > ACCOUNT_BYTES && data[ACCOUNT_BYTES] === kind;
}
