// SPDX-License-Identifier: Apache-2.0
import { fromBase58 } from './base58-text.ts';
import { VOTE_PROGRAM, VOTE_PROGRAM_BYTES } from './programs.ts';
import type {
  RawConfig,
  RawInstruction,
  RawKey,
  RawMeta,
  RawJsonTransaction,
  RawTransaction,
} from './raw-block.ts';
import { readWire } from './wire/read-wire.ts';
import { unknownVersion } from './wire/unknown-transaction-error.ts';
import { VERSION_MAX, type TransactionConfig, type WireTransaction } from './wire/wire-transaction.ts';

/** Parsed lazily, because most instructions of a block are of no interest here. */
export interface Instruction {
  readonly program: string;
  accountAt(position: number): string | undefined;
  /**
   * Undefined: a program called another one with more data than is read here (DATA_TEXT_MAX).
   * @throws RangeError where the node's text is no Base58
   */
  readData(): Uint8Array | undefined;
}

/** A transaction of a block, in any encoding. Its keys are read lazily. */
export interface ParsedTransaction {
  readonly signature: string;
  readonly signatureCount: number;
  /** Static and looked-up keys: as many as there are balances. */
  readonly keyCount: number;
  readonly meta: RawMeta;
  /** True when its only instruction is of the vote program; by its accounts, when it names no other program. */
  readonly isVote: boolean;
  /** Absent in encodings that do not hold the bytes. */
  readonly wire?: WireTransaction;
  /** What version 1 requests; absent in other versions, and where only accounts are known. */
  readonly config?: TransactionConfig | undefined;
  /** Only its accounts are known, and not what its instructions did. */
  readonly hidesInstructions?: boolean;
  /** @throws RangeError where there is none */
  keyAt(index: number): string;
  /** Outer ones, then inner ones; those that the node has parsed already are left out. */
  instructions(): Iterable<Instruction>;
}

/**
 * A transaction from its bytes, or from the encodings `json` and `jsonParsed`.
 * @throws UnknownTransactionError; RangeError or TypeError when it is not what it claims to be
 */
export function parseTransaction(raw: RawTransaction): ParsedTransaction {
  const { transaction, version } = raw;
  const meta = readMeta(raw);
  if (isWords(transaction)) return new BinaryTransaction(readBytes(transaction), { meta, version });
  if (typeof version === 'number' && version > VERSION_MAX) throw unknownVersion(version);
  if ('accountKeys' in transaction) return parseAccounts(raw);
  const { signatures, message } = transaction;
  return new JsonTransaction({
    signatures,
    keys: message.accountKeys,
    outer: message.instructions,
    meta,
    config: version === 1 ? readConfig(message) : undefined,
  });
}

/**
 * A transaction of any version by its keys and balances, from `transactionDetails: "accounts"`. Another form is
 * parsed as parseTransaction does it.
 * @throws UnknownTransactionError; RangeError or TypeError when it is not what it claims to be
 */
export function parseAccounts(raw: RawTransaction): ParsedTransaction {
  const { transaction } = raw;
  if (!('accountKeys' in transaction)) return parseTransaction(raw);
  const { signatures, accountKeys: keys } = transaction;
  return new JsonTransaction({ signatures, keys, outer: [], meta: readMeta(raw), hidesInstructions: true });
}

/** The same transaction by its accounts alone: what its instructions say cannot be read. */
export function hideInstructions(tx: ParsedTransaction): ParsedTransaction {
  const { signature, signatureCount, keyCount, isVote, wire, config } = tx;
  return {
    ...{ signature, signatureCount, keyCount, isVote, config },
    ...(wire !== undefined && { wire }),
    meta: { ...tx.meta, innerInstructions: null },
    hidesInstructions: true,
    keyAt: (index) => tx.keyAt(index),
    instructions: () => [],
  };
}

function readMeta({ meta }: RawTransaction): RawMeta {
  if (meta === null || meta === undefined) throw new TypeError('a transaction without meta');
  // An absent `err` would read as success.
  if (meta.err === undefined) throw new TypeError('meta without err');
  return meta;
}

function isWords(transaction: RawTransaction['transaction']): transaction is readonly [string, string] {
  return !('accountKeys' in transaction) && !('message' in transaction);
}

function readBytes([text, encoding]: readonly [string, string]): Buffer {
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  if (encoding === 'base58') return Buffer.from(fromBase58(text));
  throw new TypeError(`expected base64, got ${String(encoding)}`);
}

/** Version 1 has no look-up tables. */
function refuseLoaded({ loadedAddresses }: RawMeta): void {
  const { writable = [], readonly = [] } = loadedAddresses ?? {};
  const count = writable.length + readonly.length;
  if (count > 0) throw new RangeError(`expected no looked-up address in version 1, got ${count}`);
}

function readConfig({ transactionConfig }: RawJsonTransaction['message']): TransactionConfig {
  if (typeof transactionConfig !== 'object' || transactionConfig === null)
    throw new TypeError('a transaction of version 1 without transactionConfig');
  const { priorityFee, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize }: RawConfig =
    transactionConfig;
  return {
    priorityFee: priorityFee === null || priorityFee === undefined ? undefined : BigInt(priorityFee),
    computeUnitLimit: computeUnitLimit ?? undefined,
    loadedAccountsDataSizeLimit: loadedAccountsDataSizeLimit ?? undefined,
    heapSize: heapSize ?? undefined,
  };
}

class BinaryTransaction implements ParsedTransaction {
  readonly meta: RawMeta;
  readonly wire: WireTransaction;
  readonly keyCount: number;
  readonly isVote: boolean;
  readonly #keys: string[] = [];
  #signature: string | undefined;

  /** `version`: as the node names it, unless it names none. */
  constructor(bytes: Buffer, { meta, version }: { readonly meta: RawMeta; readonly version: unknown }) {
    const wire = readWire(bytes);
    if (version !== undefined && version !== null && version !== wire.version)
      throw new RangeError(`expected a transaction of version ${String(version)}, got ${wire.version}`);
    if (wire.version === 1) refuseLoaded(meta);
    const { loadedAddresses } = meta;
    this.meta = meta;
    this.wire = wire;
    this.keyCount =
      wire.keyCount +
      (loadedAddresses ? loadedAddresses.writable.length + loadedAddresses.readonly.length : 0);
    this.isVote = wire.instructionCount === 1 && wire.isKeyAt(wire.firstProgramIndex!, VOTE_PROGRAM_BYTES);
  }

  get signature(): string {
    return (this.#signature ??= this.wire.signature);
  }

  get signatureCount(): number {
    return this.wire.signatureCount;
  }

  get config(): TransactionConfig | undefined {
    return this.wire.config;
  }

  keyAt(index: number): string {
    return (this.#keys[index] ??=
      index < this.wire.keyCount ? this.wire.keyAt(index) : this.#loadedAt(index - this.wire.keyCount));
  }

  *instructions(): Generator<Instruction> {
    for (const { programIndex, accounts, data } of this.wire.instructions()) {
      yield {
        program: this.keyAt(programIndex),
        accountAt: (position) => (position < accounts.length ? this.keyAt(accounts[position]!) : undefined),
        readData: () => data,
      };
    }
    yield* innerInstructions(this);
  }

  #loadedAt(position: number): string {
    const { writable = [], readonly = [] } = this.meta.loadedAddresses ?? {};
    return required(
      position < writable.length ? writable[position] : readonly[position - writable.length],
      position,
    );
  }
}

interface JsonParts {
  readonly signatures: readonly string[];
  readonly keys: readonly RawKey[];
  readonly outer: readonly RawInstruction[];
  readonly meta: RawMeta;
  readonly config?: TransactionConfig | undefined;
  readonly hidesInstructions?: boolean;
}

/** In `jsonParsed`, and with accounts only, the keys already include the looked-up ones. */
class JsonTransaction implements ParsedTransaction {
  readonly meta: RawMeta;
  readonly signature: string;
  readonly signatureCount: number;
  readonly isVote: boolean;
  readonly config: TransactionConfig | undefined;
  readonly hidesInstructions: boolean;
  readonly #keys: readonly string[];
  readonly #outer: readonly RawInstruction[];

  constructor({ signatures, keys, outer, meta, config, hidesInstructions = false }: JsonParts) {
    if (config !== undefined) refuseLoaded(meta);
    const isWhole = keys.some((key) => typeof key !== 'string');
    const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
    this.#keys = [...keys.map(keyOf), ...(isWhole ? [] : [...writable, ...readonly])];
    this.#outer = outer;
    this.meta = meta;
    this.config = config;
    this.hidesInstructions = hidesInstructions;
    this.signature = required(signatures[0], 0);
    this.signatureCount = signatures.length;
    this.isVote = hidesInstructions
      ? keys.some((key) => keyOf(key) === VOTE_PROGRAM) && keys.every(isOfVote)
      : outer.length === 1 && programOf(this, outer[0]!) === VOTE_PROGRAM;
  }

  get keyCount(): number {
    return this.#keys.length;
  }

  keyAt(index: number): string {
    return required(this.#keys[index], index);
  }

  *instructions(): Generator<Instruction> {
    for (const one of this.#outer) yield* readInstruction(this, one);
    yield* innerInstructions(this);
  }
}

const keyOf = (key: RawKey): string => (typeof key === 'string' ? key : key.pubkey);

/** What only votes name names no program but theirs: one is neither written nor signs. */
function isOfVote(key: RawKey): boolean {
  if (typeof key !== 'string' && (key.writable === true || key.signer === true)) return true;
  return keyOf(key) === VOTE_PROGRAM || keyOf(key).startsWith('Sysvar');
}

type Keyed = Pick<ParsedTransaction, 'keyAt' | 'meta'>;

function* innerInstructions(tx: Keyed): Generator<Instruction> {
  for (const { instructions } of tx.meta.innerInstructions ?? [])
    for (const one of instructions) yield* readInstruction(tx, one);
}

/**
 * 1,024 bytes, the longest memo, take no more. A program may call another with 10 KiB, and decoding takes the square of the
 * length: a block has room for seconds of it.
 */
const DATA_TEXT_MAX = 1_400;

function* readInstruction(tx: Keyed, one: RawInstruction): Generator<Instruction> {
  const { accounts, data, parsed } = one;
  // Where the node parses, it shows what is one text as that: memos.
  if (typeof parsed === 'string')
    yield {
      program: programOf(tx, one),
      accountAt: () => undefined,
      readData: () => Buffer.from(parsed, 'utf8'),
    };
  if (data === undefined || accounts === undefined) return;
  const accountAt = (position: number): string | undefined => {
    const account = accounts[position];
    return typeof account === 'number' ? tx.keyAt(account) : account;
  };
  yield {
    program: programOf(tx, one),
    accountAt,
    readData: () => (data.length > DATA_TEXT_MAX ? undefined : fromBase58(data)),
  };
}

function programOf(
  tx: Pick<ParsedTransaction, 'keyAt'>,
  { programId, programIdIndex }: RawInstruction,
): string {
  return programId ?? tx.keyAt(programIdIndex ?? -1);
}

function required(key: string | undefined, index: number): string {
  if (key === undefined) throw new RangeError(`expected a key at position ${index}, got none`);
  return key;
}
