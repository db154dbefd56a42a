// SPDX-License-Identifier: Apache-2.0
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { join, toHex } from './bytes.ts';
import type { StatementSignature, StatementTrust, VerifiedStatement, StatementCounts } from './statement.ts';

/** A whole document, or its pieces in order: a large one is never held whole. */
export type StatementDocument = string | Uint8Array | AsyncIterable<Uint8Array>;

const FAULTS_MAX = 20;
const NEWLINE = 0x0a;
const BRACE = 0x7b;

/**
 * Verifies the signature of a statement, and adds up an `ndjson` one. It shows who signed which bytes, and that they add up; it
 * does not show that the chain says the same.
 *
 * @example
 * const { isValid, faults } = await verifyStatement(await readFile('statement.ndjson'), { keys });
 */
export async function verifyStatement(
  document: StatementDocument,
  { signature: given, keys }: StatementTrust,
): Promise<VerifiedStatement> {
  const faults: string[] = [];
  const fault = (text: string): void => {
    if (faults.length < FAULTS_MAX) faults.push(text);
  };
  const { digest, own, lines } = await readDocument(document, fault);
  const signature = given ?? own;
  const hex = toHex(digest);
  if (signature === undefined) fault('signature: expected one beside the document, got none');
  else checkSignature(signature, digest, { keys: keys.keys, fault });
  return {
    isValid: faults.length === 0,
    ...(signature !== undefined && { kid: signature.kid }),
    sha256: hex,
    faults,
    ...(lines !== undefined && { lines }),
  };
}

interface ReadDocument {
  readonly digest: Uint8Array;
  readonly own?: StatementSignature | undefined;
  readonly lines?: VerifiedStatement['lines'];
}

async function readDocument(
  document: StatementDocument,
  fault: (text: string) => void,
): Promise<ReadDocument> {
  const hash = sha256.create();
  const checker = new LineChecker(fault);
  /** The last line that has begun: whether it is the signature shows when nothing follows. */
  let held: Uint8Array = new Uint8Array();
  let isOfLines: boolean | undefined;
  let count = 0;
  const release = (): void => {
    if (held.length === 0) return;
    hash.update(held);
    checker.take(toText(held), (count += 1));
    held = new Uint8Array();
  };
  for await (const piece of piecesOf(document)) {
    if (piece.length === 0) continue;
    isOfLines ??= piece[0] === BRACE;
    if (!isOfLines) {
      hash.update(piece);
      continue;
    }
    for (const part of splitLines(piece)) {
      if (held.at(-1) === NEWLINE) release();
      held = held.length === 0 ? part : join(held, part);
    }
  }
  if (isOfLines !== true) return { digest: hash.digest() };
  const own = findSignature(held, fault);
  if (own === undefined) release();
  return { digest: hash.digest(), own, lines: checker.finish() };
}

async function* piecesOf(document: StatementDocument): AsyncGenerator<Uint8Array, void> {
  if (typeof document === 'string') yield new TextEncoder().encode(document);
  else if (document instanceof Uint8Array) yield document;
  else yield* document;
}

/** Each with its newline; the last one may have none. */
function* splitLines(piece: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < piece.length; ) {
    const end = piece.indexOf(NEWLINE, start);
    const next = end === -1 ? piece.length : end + 1;
    yield piece.subarray(start, next);
    start = next;
  }
}

const toText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The last line, where it is one. Undefined: it belongs to the document. */
function findSignature(line: Uint8Array, fault: (text: string) => void): StatementSignature | undefined {
  const text = toText(line);
  let parsed: Readonly<Record<string, unknown>>;
  try {
    parsed = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  if (parsed?.['type'] !== 'signature') return undefined;
  const { type, kid, algorithm, sha256: stated, value } = parsed;
  // Nothing signs this line: it may say no more than that.
  if (text.replace(/\n$/, '') !== JSON.stringify({ type, kid, algorithm, sha256: stated, value }))
    fault('signature: expected a last line of type, kid, algorithm, sha256, and value alone');
  return parsed as unknown as StatementSignature;
}

function checkSignature(
  { kid, algorithm = 'Ed25519', sha256: stated, value }: StatementSignature,
  digest: Uint8Array,
  { keys, fault }: { readonly keys: StatementTrust['keys']['keys']; readonly fault: (text: string) => void },
): void {
  for (const [name, member] of Object.entries({ kid, sha256: stated, value }))
    if (typeof member !== 'string') return fault(`signature.${name}: expected a text, got ${typeof member}`);
  if (algorithm !== 'Ed25519') return fault('signature.algorithm: expected Ed25519');
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return fault(`signature.kid: expected one of your keys, got ${kid}`);
  if (stated !== toHex(digest))
    fault(`signature.sha256: expected ${toHex(digest)}, that of the document, got ${stated}`);
  const [signature, publicKey] = [fromBase64(value), fromBase64(key.x)];
  if (!holds(signature, digest, publicKey)) fault('signature.value: it is not of this document and key');
}

function holds(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return ed25519.verify(signature, digest, publicKey, { zip215: false });
  } catch {
    // Not the length of a signature, or no point of the curve.
    return false;
  }
}

/** Base64, or its form for URLs. What is no base64, or not the only one of its bytes, is no signature. */
function fromBase64(text: string): Uint8Array {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
  try {
    const digits = atob(plain);
    // Its last character has bits that stand for nothing.
    if (btoa(digits).replace(/=+$/, '') !== plain) return new Uint8Array();
    return Uint8Array.from(digits, (digit) => digit.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

/** A line of an `ndjson` statement, as far as its arithmetic needs it. */
interface Line {
  readonly type?: string;
  readonly address?: string;
  readonly chain_gid?: string;
  readonly asset_gid?: string;
  readonly amount_raw?: string;
  readonly is_counted?: boolean;
  readonly opening?: { readonly amount_raw: string } | null;
  readonly closing?: { readonly amount_raw: string } | null;
  readonly explained?: Readonly<Record<string, string>>;
  readonly explained_raw?: string;
  readonly unexplained_raw?: string | null;
  readonly balances?: number;
  readonly movements?: number;
  readonly gaps?: number;
  readonly adjustments?: number;
  readonly addresses?: number;
}

/** Adds up a statement line by line: it holds one sum for each balance of an address. */
class LineChecker {
  readonly #fault: (text: string) => void;
  readonly #sums = new Map<string, bigint>();
  readonly #balances = new Set<string>();
  #counts = { balances: 0, movements: 0, gaps: 0, unexplained: 0, unknown: 0 };
  #others = { adjustments: 0, addresses: 0 };
  #isEnded = false;

  constructor(fault: (text: string) => void) {
    this.#fault = fault;
  }

  take(text: string, number: number): void {
    try {
      this.#takeLine(JSON.parse(text) as Line, number);
    } catch (error) {
      this.#fault(`line ${number}: expected a line of a statement: ${(error as Error).message}`);
    }
  }

  finish(): StatementCounts {
    if (!this.#isEnded) this.#fault('expected a line of the type end behind all others, got none');
    for (const key of this.#sums.keys())
      this.#fault(`${key}: expected a balance for its movements, got none`);
    return this.#counts;
  }

  #takeLine(line: Line, number: number): void {
    if (this.#isEnded) this.#fault(`line ${number}: expected nothing behind the line of the type end`);
    switch (line.type) {
      case 'movement': {
        this.#counts.movements += 1;
        const key = keyOf(line);
        const amount = line.is_counted === true ? integerOf(line.amount_raw) : 0n;
        this.#sums.set(key, (this.#sums.get(key) ?? 0n) + amount);
        return;
      }
      case 'gap':
        this.#counts.gaps += 1;
        return;
      case 'adjustment':
        this.#others.adjustments += 1;
        return;
      case 'address':
        this.#others.addresses += 1;
        return;
      case 'balance':
        this.#counts.balances += 1;
        this.#checkBalance(line, number);
        return;
      case 'end':
        this.#isEnded = true;
        for (const [name, count] of Object.entries({
          ...{ balances: this.#counts.balances, movements: this.#counts.movements, gaps: this.#counts.gaps },
          ...this.#others,
        }))
          this.#expectSame(`line ${number}: ${name}`, BigInt(line[name as 'gaps'] ?? -1), BigInt(count));
        return;
      default:
    }
  }

  #checkBalance(line: Line, number: number): void {
    const key = keyOf(line);
    if (this.#balances.has(key)) this.#fault(`line ${number}: a second balance of ${key}`);
    this.#balances.add(key);
    const explained = integerOf(line.explained_raw);
    const ofReasons = Object.values(line.explained ?? {}).reduce((sum, part) => sum + integerOf(part), 0n);
    this.#expectSame(`line ${number}: explained_raw`, explained, ofReasons);
    this.#expectSame(`line ${number}: explained_raw`, explained, this.#sums.get(key) ?? 0n);
    this.#sums.delete(key);
    if (!line.opening || !line.closing) {
      this.#counts.unknown += 1;
      if (typeof line.unexplained_raw === 'string')
        this.#fault(`line ${number}: unexplained_raw: expected null without both readings`);
      return;
    }
    const unexplained = integerOf(line.closing.amount_raw) - integerOf(line.opening.amount_raw) - explained;
    this.#expectSame(`line ${number}: unexplained_raw`, integerOf(line.unexplained_raw), unexplained);
    if (unexplained !== 0n) this.#counts.unexplained += 1;
  }

  #expectSame(what: string, got: bigint, expected: bigint): void {
    if (got !== expected) this.#fault(`${what}: expected ${expected}, got ${got}`);
  }
}

const keyOf = ({ address, chain_gid, asset_gid }: Line): string => `${address} ${chain_gid} ${asset_gid}`;

/** @throws TypeError for what is no whole number in decimal digits: BigInt reads an empty text as 0 */
function integerOf(text: string | null | undefined): bigint {
  if (typeof text !== 'string' || !/^-?\d+$/.test(text))
    throw new TypeError(`expected a whole number, got ${String(text)}`);
  return BigInt(text);
}
