// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { base58 } from '@scure/base';
import { Message, MessageV0, PublicKey, VersionedMessage, type MessageHeader } from '@solana/web3.js';
import { encodeMessage } from '../../../libs/chain-solana/src/wire/spec-wire.ts';

interface Meta {
  readonly err: unknown;
  readonly fee: number;
}

/** A transaction as getBlock answers it, base64. */
export interface SolanaEntry {
  readonly transaction: [string, 'base64'];
  readonly meta: Meta;
  readonly version: unknown;
}

interface JsonMessage {
  readonly header: MessageHeader;
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: number[];
    readonly data: string;
  }[];
  /** `readableIndexes`: as a wallet's copy of the answer calls the others. */
  readonly addressTableLookups?: readonly {
    readonly accountKey: string;
    readonly writableIndexes: number[];
    readonly readonlyIndexes?: number[];
    readonly readableIndexes?: number[];
  }[];
}

export interface SolanaPayer {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const SIGNATURE_BYTES = 64;
const LAMPORTS_PER_SIGNATURE = 5_000;

/**
 * A block of the size of the main network's: recorded votes of devnet and recorded transactions (of devnet, and swaps and
 * transfers of the main network) multiplied. Each copy has a payer of its own who signed it, and the leader's reward is what
 * the fees come to, so that the block proves as a real one does. A share of the others is made anew as version 1. As getBlock answers it, base64.
 */
export function makeSolanaBlock(
  folder: string,
  {
    votes,
    others,
    newest = 0,
  }: { readonly votes: number; readonly others: number /** Of version 1. */; readonly newest?: number },
): { readonly text: string; readonly hash: string; readonly slot: number } {
  const { voting, moving } = readRecorded(folder);
  const keys = Array.from({ length: 64 }, () => generateKeyPairSync('ed25519'));
  const copy = (entries: readonly SolanaEntry[], count: number): SolanaEntry[] =>
    Array.from({ length: count }, (_, index) =>
      resign(entries[index % entries.length]!, keys[index % keys.length]!),
    );
  const [voted, moved] = [copy(voting, votes), copy(moving, others - newest)];
  const plain = moving.filter(isPlain);
  for (let at = 0; at < newest; at += 1)
    moved.push(modernize(plain[at % plain.length]!, keys[at % keys.length]!));
  // As leaders order them: mixed.
  const transactions = [...voted, ...moved]
    .map((entry) => ({ entry, order: randomBytes(4).readUInt32LE() }))
    .sort((one, other) => one.order - other.order)
    .map(({ entry }) => entry);
  const [hash, parent] = [base58.encode(randomBytes(32)), base58.encode(randomBytes(32))];
  const slot = 400_000_000;
  const rewards = [
    {
      pubkey: base58.encode(randomBytes(32)),
      lamports: rewardOf(transactions),
      postBalance: 1,
      rewardType: 'Fee',
      commission: null,
    },
  ];
  const result = {
    blockHeight: slot,
    blockTime: 1_780_000_000,
    blockhash: hash,
    parentSlot: slot - 1,
    previousBlockhash: parent,
    rewards,
    transactions,
  };
  return { text: JSON.stringify({ jsonrpc: '2.0', result, id: 1 }), hash, slot };
}

/** What the leader gets for these transactions: half of the signatures is burned, the rest of the fees is theirs. */
export function rewardOf(transactions: readonly SolanaEntry[]): number {
  const fees = transactions.reduce((sum, { meta }) => sum + meta.fee, 0);
  const base = transactions.reduce((sum, entry) => sum + countSignatures(entry), 0) * LAMPORTS_PER_SIGNATURE;
  return fees - Math.floor(base / 2);
}

/** Recorded transactions, of which blocks are made. */
export function readRecorded(folder: string): {
  readonly voting: readonly SolanaEntry[];
  readonly moving: readonly SolanaEntry[];
} {
  const whole = readdirSync(folder)
    .filter((file) => /^devnet-.*base64\.json$/.test(file))
    .flatMap((file) => readBlock(folder, file));
  const isVote = (entry: SolanaEntry): boolean =>
    /Vote111111111111111111111111111111111111111 invoke/.test(JSON.stringify(entry.meta));
  const recorded = readdirSync(folder)
    .filter((file) => /^snap-.*getTransaction\.json$/.test(file))
    .map((file) => readSingle(folder, file));
  return {
    voting: whole.filter(isVote),
    moving: [...whole.filter((entry) => !isVote(entry)).slice(0, 12), ...recorded],
  };
}

/** Of a version that can be made anew as version 1. */
export function isPlain({ version }: SolanaEntry): boolean {
  return version === 'legacy' || version === undefined;
}

function readBlock(folder: string, file: string): SolanaEntry[] {
  const body = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as {
    result?: { transactions: SolanaEntry[] };
    transactions?: SolanaEntry[];
  };
  return (body.result ?? (body as { transactions: SolanaEntry[] })).transactions;
}

function readSingle(folder: string, file: string): SolanaEntry {
  const { transaction, meta, version } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as {
    transaction: { signatures: string[]; message: JsonMessage };
    meta: Meta;
    version: unknown;
  };
  const message = toBytes(transaction.message, version === 0);
  const signatures = transaction.signatures.map((text) => base58.decode(text));
  return {
    transaction: [
      Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message]).toString('base64'),
      'base64',
    ],
    meta,
    version,
  };
}

function toBytes(
  { header, accountKeys, recentBlockhash, instructions, addressTableLookups = [] }: JsonMessage,
  isVersioned: boolean,
): Uint8Array {
  if (!isVersioned)
    return new Message({
      header,
      accountKeys: [...accountKeys],
      recentBlockhash,
      instructions: [...instructions],
    }).serialize();
  return new MessageV0({
    header,
    recentBlockhash,
    staticAccountKeys: accountKeys.map((key) => new PublicKey(key)),
    compiledInstructions: instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accountKeyIndexes: accounts,
      data: base58.decode(data),
    })),
    addressTableLookups: addressTableLookups.map(
      ({ accountKey, writableIndexes, readonlyIndexes, readableIndexes }) => ({
        accountKey: new PublicKey(accountKey),
        writableIndexes,
        readonlyIndexes: readonlyIndexes ?? readableIndexes ?? [],
      }),
    ),
  }).serialize();
}

function countSignatures({ transaction: [text], version }: SolanaEntry): number {
  // Version 1 has no count in front, but the header's, behind its own byte.
  return Buffer.from(text, 'base64')[version === 1 ? 1 : 0]!;
}

/** The same transaction as version 1 has it, from another payer: the signatures stand behind the message. */
export function modernize(entry: SolanaEntry, { publicKey, privateKey }: SolanaPayer): SolanaEntry {
  const bytes = Buffer.from(entry.transaction[0], 'base64');
  const signatures = bytes[0]! * SIGNATURE_BYTES;
  const { header, staticAccountKeys, compiledInstructions } = VersionedMessage.deserialize(
    bytes.subarray(1 + signatures),
  );
  const payer = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  const message = encodeMessage({
    version: 1,
    header: {
      required: header.numRequiredSignatures,
      readonlySigned: header.numReadonlySignedAccounts,
      readonlyUnsigned: header.numReadonlyUnsignedAccounts,
    },
    keys: [payer, ...staticAccountKeys.slice(1).map((key) => key.toBytes())],
    lifetime: randomBytes(32),
    instructions: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIndex: programIdIndex,
      accounts: accountKeyIndexes,
      data,
    })),
    // What version 1 charges is the signatures and this.
    config: { priorityFee: BigInt(entry.meta.fee - bytes[0]! * LAMPORTS_PER_SIGNATURE) },
  });
  const signed = Buffer.concat([
    message,
    sign(null, message, privateKey),
    bytes.subarray(1 + SIGNATURE_BYTES, 1 + signatures),
  ]);
  return { ...entry, version: 1, transaction: [signed.toString('base64'), 'base64'] };
}

/** Another payer, its signature, and a blockhash of its own: no two copies are alike. */
export function resign(entry: SolanaEntry, { publicKey, privateKey }: SolanaPayer): SolanaEntry {
  const bytes = Buffer.from(entry.transaction[0], 'base64');
  const messageAt = 1 + bytes[0]! * SIGNATURE_BYTES;
  const keysAt = messageAt + (bytes[messageAt]! & 0x80 ? 1 : 0) + 4;
  const keyCount = bytes[keysAt - 1]!;
  Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').copy(bytes, keysAt);
  randomBytes(32).copy(bytes, keysAt + keyCount * 32);
  sign(null, bytes.subarray(messageAt), privateKey).copy(bytes, 1);
  return { ...entry, transaction: [bytes.toString('base64'), 'base64'] };
}
