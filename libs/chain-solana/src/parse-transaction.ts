import { BaseError } from '@chainwatch/problem';
import { base58 } from '@scure/base';
import { VOTE_PROGRAM, VOTE_PROGRAM_BYTES } from './programs.ts';
import type { RawInstruction, RawKey, RawMeta, RawTransaction } from './raw-block.ts';
import { findUnknownVersion, WireTransaction } from './wire-transaction.ts';

/** Parsed lazily, because most instructions of a block are of no interest here. */
export interface Instruction {
  readonly program: string;
  accountAt(position: number): string | undefined;
  readData(): Uint8Array;
}

/** A transaction of a block, in any encoding. Its keys are read lazily. */
export interface ParsedTransaction {
  readonly signature: string;
  readonly signatureCount: number;
  /** Static and looked-up keys: as many as there are balances. */
  readonly keyCount: number;
  readonly meta: RawMeta;
  /** True when its only instruction is of the vote program. */
  readonly isVote: boolean;
  /** Absent in encodings that do not hold the bytes. */
  readonly wire?: WireTransaction;
  /** @throws RangeError where there is none */
  keyAt(index: number): string;
  /** Outer ones, then inner ones; those that the node has parsed already are left out. */
  instructions(): Iterable<Instruction>;
}

/** The transaction has a version whose bytes cannot be read here. */
export class UnknownVersionError extends BaseError {
  readonly code = 'unknown_version';
  readonly retryable = false;
  readonly version: number;
  constructor(version: number) {
    super(`expected a transaction of version 0 or legacy, got version ${version}`);
    this.version = version;
  }
}

/** @throws UnknownVersionError; RangeError or TypeError when it is not what it claims to be */
export function parseTransaction({ transaction, meta, version }: RawTransaction): ParsedTransaction {
  if (meta === null || meta === undefined) throw new TypeError('a transaction without meta');
  // An absent `err` would read as success.
  if (meta.err === undefined) throw new TypeError('meta without err');
  if ('accountKeys' in transaction)
    return new JsonTransaction({
      signatures: transaction.signatures,
      keys: transaction.accountKeys,
      outer: [],
      meta,
    });
  if ('message' in transaction)
    return new JsonTransaction({
      signatures: transaction.signatures,
      keys: transaction.message.accountKeys,
      outer: transaction.message.instructions,
      meta,
    });
  const [text, encoding] = transaction;
  if (encoding !== 'base64' && encoding !== 'base58')
    throw new TypeError(`expected base64, got ${String(encoding)}`);
  const bytes = encoding === 'base64' ? Buffer.from(text, 'base64') : Buffer.from(base58.decode(text));
  const unknown = typeof version === 'number' && version > 0 ? version : findUnknownVersion(bytes);
  if (unknown !== undefined) throw new UnknownVersionError(unknown);
  return new BinaryTransaction(bytes, meta);
}

class BinaryTransaction implements ParsedTransaction {
  readonly meta: RawMeta;
  readonly wire: WireTransaction;
  readonly keyCount: number;
  readonly isVote: boolean;
  readonly #keys: string[] = [];
  #signature: string | undefined;

  constructor(bytes: Buffer, meta: RawMeta) {
    const wire = new WireTransaction(bytes);
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
}

/** In `jsonParsed`, and with accounts only, the keys already include the looked-up ones. */
class JsonTransaction implements ParsedTransaction {
  readonly meta: RawMeta;
  readonly signature: string;
  readonly signatureCount: number;
  readonly isVote: boolean;
  readonly #keys: readonly string[];
  readonly #outer: readonly RawInstruction[];

  constructor({ signatures, keys, outer, meta }: JsonParts) {
    const isWhole = keys.some((key) => typeof key !== 'string');
    const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
    this.#keys = [
      ...keys.map((key) => (typeof key === 'string' ? key : key.pubkey)),
      ...(isWhole ? [] : [...writable, ...readonly]),
    ];
    this.#outer = outer;
    this.meta = meta;
    this.signature = required(signatures[0], 0);
    this.signatureCount = signatures.length;
    this.isVote = outer.length === 1 && programOf(this, outer[0]!) === VOTE_PROGRAM;
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

type Keyed = Pick<ParsedTransaction, 'keyAt' | 'meta'>;

function* innerInstructions(tx: Keyed): Generator<Instruction> {
  for (const { instructions } of tx.meta.innerInstructions ?? [])
    for (const one of instructions) yield* readInstruction(tx, one);
}

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
  yield { program: programOf(tx, one), accountAt, readData: () => base58.decode(data) };
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
