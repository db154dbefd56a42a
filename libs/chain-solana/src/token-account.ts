// SPDX-License-Identifier: Apache-2.0
import { PUBLIC_KEY_LENGTH, PublicKey } from '@solana/web3.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './programs.ts';
import type { TokenState } from './touch-book.ts';

/** Bytes of an account's data that tell what it is. */
export const ACCOUNT_SLICE = { offset: 0, length: 166 };
const ACCOUNT_BYTES = 165;
const KIND_AT = 165;
const KIND_ACCOUNT = 2;
const STATE_AT = 108;

/** A token account of either token program, from its data; undefined for any other account. */
export function parseTokenAccount(program: string, data: Uint8Array): TokenState | undefined {
  if (program !== TOKEN_PROGRAM && program !== TOKEN_2022_PROGRAM) return undefined;
  const isAccount =
    data.length === ACCOUNT_BYTES || (data.length > ACCOUNT_BYTES && data[KIND_AT] === KIND_ACCOUNT);
  if (!isAccount || data[STATE_AT] === 0) return undefined;
  const amountRaw = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(64, true);
  return { mint: readKey(data, 0), owner: readKey(data, 32), amountRaw };
}

function readKey(data: Uint8Array, at: number): string {
  return new PublicKey(data.subarray(at, at + PUBLIC_KEY_LENGTH)).toBase58();
}
