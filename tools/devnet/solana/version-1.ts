// SPDX-License-Identifier: Apache-2.0
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import {
  TransactionMessage,
  type Keypair,
  type MessageCompiledInstruction,
  type PublicKey,
  type TransactionInstruction,
} from '@solana/web3.js';

/** What a transaction of version 1 requests. Unset: no priority fee, no compute unit, no account data, 32 KiB of heap. */
export interface RequestedConfig {
  /** For the whole transaction, in lamports. */
  readonly priorityFee?: bigint;
  readonly computeUnitLimit?: number;
  /** Bytes. */
  readonly loadedAccountsDataSizeLimit?: number;
  /** Bytes: whole KiB, 32 to 256. */
  readonly heapSize?: number;
}

interface CompiledV1 {
  /** What is signed. */
  readonly message: Uint8Array;
  /** In the order of their signatures; the first pays. */
  readonly signers: readonly PublicKey[];
}

/** Enough for what the local node runs; the runtime applies an unset limit as 0. */
export const LOCAL_LIMITS: RequestedConfig = {
  computeUnitLimit: 200_000,
  loadedAccountsDataSizeLimit: 64 * 1_024 * 1_024,
};

const VERSION_BYTE = 0x81;
const SIGNATURE_BYTES = 64;

/**
 * A message of version 1 (SIMD-0385,
 * https://github.com/solana-foundation/solana-improvement-documents/blob/main/proposals/0385-transaction-v1.md), which
 * `@solana/web3.js` 1.99 reads and does not write.
 */
export function compileV1({
  payer,
  recentBlockhash,
  instructions,
  config = LOCAL_LIMITS,
}: {
  readonly payer: PublicKey;
  readonly recentBlockhash: string;
  readonly instructions: readonly TransactionInstruction[];
  readonly config?: RequestedConfig;
}): CompiledV1 {
  // Keys and indexes are those of version 0 without look-up tables.
  const { header, staticAccountKeys, compiledInstructions } = new TransactionMessage({
    payerKey: payer,
    recentBlockhash,
    instructions: [...instructions],
  }).compileToV0Message();
  const { mask, words } = encodeConfig(config);
  const message = Buffer.concat([
    Buffer.of(
      VERSION_BYTE,
      header.numRequiredSignatures,
      header.numReadonlySignedAccounts,
      header.numReadonlyUnsignedAccounts,
    ),
    u32(mask),
    base58.decode(recentBlockhash),
    Buffer.of(compiledInstructions.length, staticAccountKeys.length),
    ...staticAccountKeys.map((key) => key.toBytes()),
    ...words,
    ...compiledInstructions.map(encodeHeader),
    ...compiledInstructions.flatMap(({ accountKeyIndexes, data }) => [Buffer.from(accountKeyIndexes), data]),
  ]);
  return { message, signers: staticAccountKeys.slice(0, header.numRequiredSignatures) };
}

/** The transaction as it is sent: the message, then its signatures. @throws Error where a signer is missing */
export function signV1({ message, signers }: CompiledV1, keypairs: readonly Keypair[]): Uint8Array {
  const signatures = signers.map((signer) => {
    const keypair = keypairs.find(({ publicKey }) => publicKey.equals(signer));
    if (keypair === undefined) throw new Error(`expected a key pair of ${signer.toBase58()}, got none`);
    return ed25519.sign(message, keypair.secretKey.subarray(0, 32));
  });
  return Buffer.concat([message, ...signatures]);
}

/** The first signature, which is the id of the transaction, of any version. */
export function readSignature(bytes: Uint8Array): Uint8Array {
  const at = bytes[0] === VERSION_BYTE ? bytes.length - bytes[1]! * SIGNATURE_BYTES : 1;
  return bytes.subarray(at, at + SIGNATURE_BYTES);
}

/** One word for each bit of the mask, the lowest bit first. */
function encodeConfig({
  priorityFee,
  computeUnitLimit,
  loadedAccountsDataSizeLimit,
  heapSize,
}: RequestedConfig): { readonly mask: number; readonly words: readonly Buffer[] } {
  const values = [
    priorityFee === undefined ? undefined : Number(priorityFee & 0xffff_ffffn),
    priorityFee === undefined ? undefined : Number(priorityFee >> 32n),
    computeUnitLimit,
    loadedAccountsDataSizeLimit,
    heapSize,
  ];
  return {
    mask: values.reduce<number>((mask, value, bit) => (value === undefined ? mask : mask | (1 << bit)), 0),
    words: values.flatMap((value) => (value === undefined ? [] : [u32(value)])),
  };
}

function encodeHeader({ programIdIndex, accountKeyIndexes, data }: MessageCompiledInstruction): Buffer {
  const header = Buffer.of(programIdIndex, accountKeyIndexes.length, 0, 0);
  header.writeUInt16LE(data.length, 2);
  return header;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
