// SPDX-License-Identifier: Apache-2.0
import type { StatementCounts } from './statement.ts';

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
export class LineChecker {
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
