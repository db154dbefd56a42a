// SPDX-License-Identifier: Apache-2.0
import {
  ComputeBudgetProgram,
  Ed25519Program,
  PublicKey,
  Secp256k1Program,
  StakeProgram,
  SystemProgram,
  VoteProgram,
} from '@solana/web3.js';

export const SYSTEM_PROGRAM = SystemProgram.programId.toBase58();
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const TOKEN_PROGRAMS_BYTES: readonly Uint8Array[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((key) =>
  new PublicKey(key).toBytes(),
);
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
/** Of wrapped SOL. */
export const NATIVE_MINT = 'So11111111111111111111111111111111111111112';
export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
export const VOTE_PROGRAM = VoteProgram.programId.toBase58();
export const VOTE_PROGRAM_BYTES = VoteProgram.programId.toBytes();
/**
 * Programs that check signatures which an instruction carries. Each signature costs as much as one of the
 * transaction's own.
 */
export const PRECOMPILES: ReadonlySet<string> = new Set([
  Ed25519Program.programId.toBase58(),
  Secp256k1Program.programId.toBase58(),
  'Secp256r1SigVerify1111111111111111111111111',
]);
/** Version 2 and the first one of the memo program. */
export const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);
export const MEMO_PROGRAMS_BYTES: readonly Uint8Array[] = Array.from(MEMO_PROGRAMS, (key) =>
  new PublicKey(key).toBytes(),
);
export const PRECOMPILES_BYTES: readonly Uint8Array[] = Array.from(PRECOMPILES, (key) =>
  new PublicKey(key).toBytes(),
);
/** Programs of which every move of tokens is known from their instructions: they call no other program, or only to create an account. */
export const TRANSPARENT_PROGRAMS: ReadonlySet<string> = new Set([
  ...[
    SYSTEM_PROGRAM,
    VOTE_PROGRAM,
    StakeProgram.programId.toBase58(),
    ComputeBudgetProgram.programId.toBase58(),
  ],
  ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM],
  ...MEMO_PROGRAMS,
  ...PRECOMPILES,
]);
