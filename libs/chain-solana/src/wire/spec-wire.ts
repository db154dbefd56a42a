// SPDX-License-Identifier: Apache-2.0
import { ed25519 } from '@noble/curves/ed25519.js';

/** The parts of a transaction, as a spec states them. This file encodes them without any code of the reader. */
export interface WireParts {
  readonly version: 'legacy' | 0 | 1;
  readonly header: {
    readonly required: number;
    readonly readonlySigned: number;
    readonly readonlyUnsigned: number;
  };
  readonly keys: readonly Uint8Array[];
  readonly lifetime: Uint8Array;
  readonly instructions: readonly InstructionParts[];
  /** Of version 1 alone. */
  readonly config?: ConfigParts;
  /** Of version 0 alone. */
  readonly lookups?: readonly LookupParts[];
}

export interface InstructionParts {
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export interface ConfigParts {
  /** Lamports. */
  readonly priorityFee?: bigint;
  readonly computeUnitLimit?: number;
  readonly loadedAccountsDataSizeLimit?: number;
  readonly heapSize?: number;
  /** Words of bits that no rule knows yet, by bit; ascending. */
  readonly unknown?: readonly { readonly bit: number; readonly word: number }[];
}

interface LookupParts {
  readonly key: Uint8Array;
  readonly writable: readonly number[];
  readonly readonly: readonly number[];
}

/** The signed bytes. */
export function encodeMessage(parts: WireParts): Buffer {
  return parts.version === 1 ? encodeMessage1(parts) : encodeMessage0(parts);
}

/** Signatures before the message, or behind it in version 1. */
export function encodeTransaction(parts: WireParts, signatures: readonly Uint8Array[]): Buffer {
  const message = encodeMessage(parts);
  return parts.version === 1
    ? Buffer.concat([message, ...signatures])
    : Buffer.concat([compact(signatures.length), ...signatures, message]);
}

/** Signed by the secrets of its first keys, in their order. */
export function signTransaction(parts: WireParts, secrets: readonly Uint8Array[]): Buffer {
  const message = encodeMessage(parts);
  return encodeTransaction(
    parts,
    secrets.map((secret) => ed25519.sign(message, secret)),
  );
}

export const publicKeyOf = (secret: Uint8Array): Uint8Array => ed25519.getPublicKey(secret);

function encodeMessage1({ header, keys, lifetime, instructions, config = {} }: WireParts): Buffer {
  const { mask, words } = encodeConfig(config);
  return Buffer.concat([
    Uint8Array.of(0x81, header.required, header.readonlySigned, header.readonlyUnsigned),
    u32(mask),
    lifetime,
    Uint8Array.of(instructions.length, keys.length),
    ...keys,
    ...words,
    ...instructions.map(({ programIndex, accounts, data }) =>
      Uint8Array.of(programIndex, accounts.length, data.length & 0xff, data.length >> 8),
    ),
    ...instructions.flatMap(({ accounts, data }) => [Uint8Array.from(accounts), data]),
  ]);
}

function encodeConfig({
  priorityFee,
  computeUnitLimit,
  loadedAccountsDataSizeLimit,
  heapSize,
  unknown = [],
}: ConfigParts): { readonly mask: number; readonly words: readonly Buffer[] } {
  const words: Buffer[] = [];
  let mask = 0;
  const add = (bit: number, word: number | undefined): void => {
    if (word === undefined) return;
    mask += 2 ** bit;
    words.push(u32(word));
  };
  add(0, priorityFee === undefined ? undefined : Number(priorityFee & 0xffff_ffffn));
  add(1, priorityFee === undefined ? undefined : Number(priorityFee >> 32n));
  add(2, computeUnitLimit);
  add(3, loadedAccountsDataSizeLimit);
  add(4, heapSize);
  for (const { bit, word } of unknown) add(bit, word);
  return { mask, words };
}

function encodeMessage0({ version, header, keys, lifetime, instructions, lookups = [] }: WireParts): Buffer {
  const list = (items: readonly number[] | Uint8Array): Uint8Array[] => [
    compact(items.length),
    Uint8Array.from(items),
  ];
  return Buffer.concat([
    version === 0 ? Uint8Array.of(0x80) : new Uint8Array(),
    Uint8Array.of(header.required, header.readonlySigned, header.readonlyUnsigned),
    compact(keys.length),
    ...keys,
    lifetime,
    compact(instructions.length),
    ...instructions.flatMap(({ programIndex, accounts, data }) => [
      Uint8Array.of(programIndex),
      ...list(accounts),
      ...list(data),
    ]),
    ...(version === 'legacy' ? [] : [compact(lookups.length)]),
    ...lookups.flatMap(({ key, writable, readonly }) => [key, ...list(writable), ...list(readonly)]),
  ]);
}

/** Seven bits a byte, the low ones first. */
function compact(length: number): Uint8Array {
  const bytes: number[] = [];
  let rest = length;
  for (; rest > 0x7f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
