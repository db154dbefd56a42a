// SPDX-License-Identifier: Apache-2.0
import type { BookTransaction } from './books.ts';

/** A row of a ledger, in base units and without a sign. */
export interface NaiveRow {
  readonly line: number;
  readonly hash: string;
  readonly address: string;
  readonly assetGid: string;
  readonly direction: 'in' | 'out' | 'fee' | undefined;
  readonly amount: bigint;
}

export interface NaiveOutcome {
  readonly line: number;
  readonly class: string;
  readonly moved: bigint | undefined;
  readonly firstLine: number | undefined;
}

interface Move {
  readonly place: number;
  readonly side: 'in' | 'out' | 'self' | 'fee';
  readonly amount: bigint;
  claimed: boolean;
}

interface Books {
  readonly transactions: readonly BookTransaction[];
  readonly monitored: ReadonlySet<string>;
  readonly coin: string;
  readonly from: Date;
  readonly to: Date;
  readonly includeFees: boolean;
}

/** The oracle: one row after the other, in memory. `missing` has one line for each movement that no row names. */
export function reconcileNaively(
  rows: readonly NaiveRow[],
  books: Books,
): { readonly outcomes: NaiveOutcome[]; readonly missing: string[] } {
  const outcomes: NaiveOutcome[] = [];
  const missing: string[] = [];
  const known = new Set(books.transactions.map(({ hash }) => hash));
  for (const { line, hash } of rows)
    if (!known.has(hash))
      outcomes.push({ line, class: 'missing_on_chain', moved: undefined, firstLine: undefined });
  for (const transaction of books.transactions) {
    const groups = new Map<string, Move[]>();
    const add = (address: string, assetGid: string, move: Omit<Move, 'claimed'>): void => {
      const key = `${address} ${assetGid}`;
      groups.set(key, [...(groups.get(key) ?? []), { ...move, claimed: false }]);
    };
    const { status, feePayer, fee } = transaction;
    if (status !== 'failed' && status !== 'dropped')
      for (const [place, { from, to, assetGid, amount }] of transaction.transfers.entries()) {
        if (from === to && books.monitored.has(from)) add(from, assetGid, { place, side: 'self', amount });
        if (from === to) continue;
        if (books.monitored.has(to)) add(to, assetGid, { place, side: 'in', amount });
        if (books.monitored.has(from)) add(from, assetGid, { place, side: 'out', amount });
      }
    if (status !== 'dropped' && fee !== undefined && feePayer !== undefined && books.monitored.has(feePayer))
      add(feePayer, books.coin, { place: -1, side: 'fee', amount: fee });
    const named = rows.filter(({ hash }) => hash === transaction.hash);
    const keys = new Set([
      ...groups.keys(),
      ...named.map(({ address, assetGid }) => `${address} ${assetGid}`),
    ]);
    for (const key of keys) {
      const own = named.filter(({ address, assetGid }) => `${address} ${assetGid}` === key);
      const moves = groups.get(key) ?? [];
      for (const isFee of [false, true]) {
        const matched = matchGroup(
          own.filter(({ direction }) => (direction === 'fee') === isFee),
          moves.filter(({ side }) => (side === 'fee') === isFee),
        );
        for (const outcome of matched) outcomes.push(confirm(outcome, transaction));
      }
      const isTold =
        status !== 'pending' &&
        status !== 'reorged' &&
        transaction.time >= books.from &&
        transaction.time < books.to;
      for (const { claimed, side, amount, place } of moves)
        if (!claimed && isTold && amount > 0n && (side !== 'fee' || books.includeFees))
          missing.push(`${transaction.hash} ${key} ${side} ${amount} ${place >= 0 ? '' : 'fee'}`.trim());
    }
  }
  return { outcomes: outcomes.sort((one, other) => one.line - other.line), missing: missing.sort() };
}

type Found = NaiveRow & { readonly side: string; readonly isEqual: boolean; readonly moved: bigint };

function confirm(
  { isEqual, ...outcome }: NaiveOutcome & { readonly isEqual?: boolean },
  { status, isUnproved = false }: BookTransaction,
): NaiveOutcome {
  if (isEqual === undefined) return outcome;
  const isOpen = isUnproved || (status !== 'confirmed' && status !== 'failed');
  if (isOpen && (isEqual || status === 'reorged')) return { ...outcome, class: 'unconfirmed' };
  return { ...outcome, class: isEqual ? 'matched' : 'amount_differs' };
}

/** Rows and movements of one address and asset in one transaction: fees, or all others. */
function matchGroup(
  rows: readonly NaiveRow[],
  moves: readonly Move[],
): (NaiveOutcome & { readonly isEqual?: boolean })[] {
  const group = new Group(rows, moves);
  group.matchEqual();
  if (!rows.some(({ direction }) => direction === 'fee')) group.matchSums();
  group.matchRest();
  return [
    ...group.listRepeats(),
    ...group.found.map(({ line, isEqual, moved }) => ({
      line,
      class: '',
      moved,
      isEqual,
      firstLine: undefined,
    })),
  ];
}

const sidesOf = (side: string): readonly string[] =>
  side === 'mixed' ? ['in', 'out'] : side === 'any' ? ['self'] : [side];

const sumOf = (list: readonly Move[]): bigint | undefined =>
  list.length === 0 ? undefined : list.reduce((sum, { amount }) => sum + amount, 0n);

const bySize = <T extends { readonly amount: bigint }>(list: readonly T[]): T[] =>
  [...list].sort((one, other) => (one.amount === other.amount ? 0 : one.amount > other.amount ? -1 : 1));

class Group {
  readonly found: Found[] = [];
  readonly #rows: readonly NaiveRow[];
  readonly #moves: readonly Move[];
  readonly #isSelfAlone: boolean;

  constructor(rows: readonly NaiveRow[], moves: readonly Move[]) {
    this.#rows = [...rows].sort((one, other) => one.line - other.line);
    this.#moves = moves;
    const transfers = moves.filter(({ side }) => side !== 'fee');
    this.#isSelfAlone = transfers.length > 0 && transfers.every(({ side }) => side === 'self');
  }

  matchEqual(): void {
    for (const isMixed of [false, true])
      for (const row of this.#left()) {
        if ((this.#sideOf(row) === 'mixed') !== isMixed) continue;
        const move = this.#free(this.#sideOf(row)).find(({ amount }) => amount === row.amount);
        if (move !== undefined) this.#claim(row, [move], true);
      }
    for (const row of this.#left()) {
      const move = this.#free('any').find(({ amount }) => amount === row.amount);
      if (move !== undefined && this.#sideOf(row) !== 'fee') this.#claim(row, [move], true);
    }
  }

  matchSums(): void {
    const winners = new Map<string, NaiveRow>();
    for (const row of this.#left()) {
      const target = this.#findSum(row);
      if (target !== undefined && !winners.has(target)) winners.set(target, row);
    }
    if (winners.has('in') || winners.has('out')) winners.delete('net');
    for (const [target, row] of winners)
      this.#claim(row, this.#free(target === 'net' ? 'mixed' : target), true);
  }

  matchRest(): void {
    const left = this.#left();
    const [ins, outs] = [sumOf(this.#free('in')) ?? 0n, sumOf(this.#free('out')) ?? 0n];
    const [single] = left;
    if (left.length === 1 && single !== undefined && ins > 0n && outs > 0n) {
      const side = this.#sideOf(single);
      if ((side === 'in' && ins > outs) || (side === 'out' && outs > ins))
        this.#claim(single, this.#free(), false);
    }
    for (const side of ['in', 'out', 'any', 'fee', 'mixed']) {
      const own = bySize(this.#left().filter((row) => this.#sideOf(row) === side));
      const rest = bySize(this.#free(side));
      if (own.length === 1 && rest.length > 0) this.#claim(own[0]!, rest, false);
      else
        for (const [place, row] of own.entries())
          if (rest[place] !== undefined) this.#claim(row, [rest[place]], false);
    }
  }

  listRepeats(): NaiveOutcome[] {
    return this.#left().map((row) => {
      const side = this.#sideOf(row);
      const others = this.found
        .filter((one) => one.side === side || one.side === 'mixed' || side === 'mixed')
        .sort((one, other) => one.line - other.line);
      const first = others.find(({ amount }) => amount === row.amount) ?? others[0];
      return {
        ...{ line: row.line, class: first === undefined ? 'missing_on_chain' : 'duplicate' },
        ...{ moved: first?.moved, firstLine: first?.line },
      };
    });
  }

  #findSum(row: NaiveRow): string | undefined {
    const side = this.#sideOf(row);
    const [ins, outs, all] = [sumOf(this.#free('in')), sumOf(this.#free('out')), sumOf(this.#free('any'))];
    if (side === 'any') return row.amount === all ? 'any' : undefined;
    if (side !== 'out' && row.amount === ins) return 'in';
    if (side !== 'in' && row.amount === outs) return 'out';
    if (ins === undefined || outs === undefined) return undefined;
    const isNet =
      (side !== 'out' && row.amount === ins - outs) || (side !== 'in' && row.amount === outs - ins);
    return isNet ? 'net' : undefined;
  }

  #sideOf({ direction }: NaiveRow): string {
    if (this.#isSelfAlone && direction !== 'fee') return 'any';
    const sides = [...new Set(this.#moves.map(({ side }) => side))].filter((side) => side !== 'self');
    return direction ?? (sides.length === 1 ? sides[0]! : 'mixed');
  }

  #left(): NaiveRow[] {
    return this.#rows.filter(({ line }) => !this.found.some((one) => one.line === line));
  }

  #free(side = 'mixed'): Move[] {
    return this.#moves.filter((move) => !move.claimed && sidesOf(side).includes(move.side));
  }

  #claim(row: NaiveRow, list: readonly Move[], isEqual: boolean): void {
    for (const move of list) move.claimed = true;
    const isBoth = new Set(list.map(({ side }) => side)).size > 1;
    const net = list.reduce(
      (sum, { side, amount }) => sum + (isBoth && side === 'out' ? -amount : amount),
      0n,
    );
    this.found.push({ ...row, side: this.#sideOf(row), isEqual, moved: net < 0n ? -net : net });
  }
}
