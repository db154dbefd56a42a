// SPDX-License-Identifier: Apache-2.0
import { PublicKey, SystemProgram, SYSVAR_RENT_PUBKEY, TransactionInstruction } from '@solana/web3.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './token-accounts.ts';

export { TOKEN_2022_PROGRAM, TOKEN_PROGRAM };
export const ASSOCIATED_TOKEN_PROGRAM = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const MEMO_PROGRAM = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const NATIVE_MINT = new PublicKey('So11111111111111111111111111111111111111112');

/** Where an owner's tokens of a mint are kept, unless somebody made an account of another address. */
export function associatedAccount(owner: PublicKey, mint: PublicKey, program = TOKEN_PROGRAM): PublicKey {
  return PublicKey.findProgramAddressSync(
    [owner.toBuffer(), program.toBuffer(), mint.toBuffer()],
    ASSOCIATED_TOKEN_PROGRAM,
  )[0];
}

/** Does nothing where the account exists. */
export function createAssociatedAccount(
  payer: PublicKey,
  {
    owner,
    mint,
    program = TOKEN_PROGRAM,
  }: { readonly owner: PublicKey; readonly mint: PublicKey; readonly program?: PublicKey },
): TransactionInstruction {
  const keys = [
    signer(payer),
    writable(associatedAccount(owner, mint, program)),
    readonly(owner),
    readonly(mint),
    readonly(SystemProgram.programId),
    readonly(program),
  ];
  return new TransactionInstruction({ programId: ASSOCIATED_TOKEN_PROGRAM, keys, data: Buffer.from([1]) });
}

export function initializeMint(
  mint: PublicKey,
  {
    decimals,
    authority,
    program = TOKEN_PROGRAM,
  }: { readonly decimals: number; readonly authority: PublicKey; readonly program?: PublicKey },
): TransactionInstruction {
  return instruction(program, [writable(mint)], [20, decimals, ...authority.toBytes(), 0]);
}

/** Token-2022: of each transfer `basisPoints` stay withheld on the receiving account, at most `maximum`. Before initializeMint. */
export function initializeTransferFee(
  mint: PublicKey,
  {
    authority,
    basisPoints,
    maximum,
  }: { readonly authority: PublicKey; readonly basisPoints: number; readonly maximum: bigint },
): TransactionInstruction {
  const points = Buffer.alloc(2);
  points.writeUInt16LE(basisPoints);
  return instruction(
    TOKEN_2022_PROGRAM,
    [writable(mint)],
    [26, 0, 1, ...authority.toBytes(), 1, ...authority.toBytes(), ...points, ...u64(maximum)],
  );
}

/** Token-2022: the mint's metadata is where `address` is. Before initializeMint. */
export function initializeMetadataPointer(
  mint: PublicKey,
  authority: PublicKey,
  address: PublicKey,
): TransactionInstruction {
  return instruction(
    TOKEN_2022_PROGRAM,
    [writable(mint)],
    [39, 0, ...authority.toBytes(), ...address.toBytes()],
  );
}

/** Token-2022: metadata in the mint itself (the token metadata interface). After initializeMint. */
export function initializeTokenMetadata(
  mint: PublicKey,
  authority: PublicKey,
  metadata: { readonly name: string; readonly symbol: string; readonly uri: string },
): TransactionInstruction {
  const keys = [
    writable(mint),
    readonly(authority),
    readonly(mint),
    { ...readonly(authority), isSigner: true },
  ];
  const discriminator = [210, 225, 30, 162, 88, 184, 77, 141];
  return instruction(TOKEN_2022_PROGRAM, keys, [
    ...discriminator,
    ...text(metadata.name),
    ...text(metadata.symbol),
    ...text(metadata.uri),
  ]);
}

export function mintTo(
  mint: PublicKey,
  {
    account,
    authority,
    amount,
    program = TOKEN_PROGRAM,
  }: {
    readonly account: PublicKey;
    readonly authority: PublicKey;
    readonly amount: bigint;
    readonly program?: PublicKey;
  },
): TransactionInstruction {
  return instruction(
    program,
    [writable(mint), writable(account), signer(authority, false)],
    [7, ...u64(amount)],
  );
}

export interface CheckedTransfer {
  readonly from: PublicKey;
  readonly to: PublicKey;
  readonly owner: PublicKey;
  readonly mint: PublicKey;
  readonly amount: bigint;
  readonly decimals: number;
  readonly program?: PublicKey;
}

export function transferChecked({
  from,
  to,
  owner,
  mint,
  amount,
  decimals,
  program = TOKEN_PROGRAM,
}: CheckedTransfer): TransactionInstruction {
  return instruction(
    program,
    [writable(from), readonly(mint), writable(to), signer(owner, false)],
    [12, ...u64(amount), decimals],
  );
}

export function burn(
  account: PublicKey,
  {
    mint,
    owner,
    amount,
    program = TOKEN_PROGRAM,
  }: {
    readonly mint: PublicKey;
    readonly owner: PublicKey;
    readonly amount: bigint;
    readonly program?: PublicKey;
  },
): TransactionInstruction {
  return instruction(program, [writable(account), writable(mint), signer(owner, false)], [8, ...u64(amount)]);
}

/** Its lamports go to `destination`. */
export function closeAccount(
  account: PublicKey,
  {
    destination,
    owner,
    program = TOKEN_PROGRAM,
  }: { readonly destination: PublicKey; readonly owner: PublicKey; readonly program?: PublicKey },
): TransactionInstruction {
  return instruction(program, [writable(account), writable(destination), signer(owner, false)], [9]);
}

/** Wrapped SOL: the account's amount becomes the lamports that it holds beyond its rent. */
export function syncNative(account: PublicKey): TransactionInstruction {
  return instruction(TOKEN_PROGRAM, [writable(account)], [17]);
}

/** An account of `owner` at an address of its own. */
export function initializeAccount(
  account: PublicKey,
  {
    mint,
    owner,
    program = TOKEN_PROGRAM,
  }: { readonly mint: PublicKey; readonly owner: PublicKey; readonly program?: PublicKey },
): TransactionInstruction {
  return instruction(
    program,
    [writable(account), readonly(mint), readonly(owner), readonly(SYSVAR_RENT_PUBKEY)],
    [1],
  );
}

const writable = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: true });
const readonly = (pubkey: PublicKey) => ({ pubkey, isSigner: false, isWritable: false });
const signer = (pubkey: PublicKey, isWritable = true) => ({ pubkey, isSigner: true, isWritable });

function instruction(
  programId: PublicKey,
  keys: ReturnType<typeof signer>[],
  data: readonly number[],
): TransactionInstruction {
  return new TransactionInstruction({ programId, keys, data: Buffer.from(data) });
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
