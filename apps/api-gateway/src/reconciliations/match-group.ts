// SPDX-License-Identifier: Apache-2.0
import type { Movement } from './read-movements.ts';

/** A row that names an address and an asset of a transaction. */
export interface BookedRow {
  readonly id: string;
  readonly line: number;
  readonly direction: 'in' | 'out' | 'fee' | null;
  /** In base units, without a sign. */
  readonly amount: bigint;
}

/** A row and the movements that it stands for; undefined: there is none, or another row has it. */
export interface Match {
  readonly row: BookedRow;
  readonly isEqual: boolean;
  /** What they come to. */
  readonly moved: bigint | undefined;
  /** The line of the row that has the movement. */
  readonly firstLine: number | undefined;
}

/** `any`: an address paid itself, and nothing else moved; `mixed`: the row names no direction, and there are both. */
type Side = 'in' | 'out' | 'fee' | 'any' | 'mixed';

interface Claimed extends BookedRow {
  readonly side: Side;
  readonly moved: bigint;
}

/**
 * Matches rows and movements of one address and asset in one transaction, in this order:
 *
 * 1. rows and movements of equal amounts, one to one; those to the address itself last;
 * 2. a row with the sum of the rest in its direction, or with the difference of both directions;
 * 3. what is left on both sides differs: a single row from the sum of the rest, or from the difference of both
 *    directions; several one to one by size;
 * 4. rows that are left over repeat a row of that direction, or there is no such movement.
 *
 * @param rows in the order of their lines
 * @param movements in the order of their places
 * @returns a match for each row, and the movements that no row has
 */
export function matchGroup(
  rows: readonly BookedRow[],
  movements: readonly Movement[],
): { readonly matches: Match[]; readonly unclaimed: Movement[] } {
  const matcher = new Matcher(rows, movements);
  matcher.matchEqual();
  matcher.matchSums();
  matcher.matchRest();
  return matcher.finish();
}

class Matcher {
  readonly #sideOf: (row: BookedRow) => Side;
  readonly #moveSideOf: (movement: Movement) => Side;
  readonly #matches: Match[] = [];
  readonly #claims: Claimed[] = [];
  #rows: readonly BookedRow[];
  #movements: readonly Movement[];

  constructor(rows: readonly BookedRow[], movements: readonly Movement[]) {
    const transfers = movements.filter(({ side }) => side !== 'fee');
    const directions = new Set(transfers.flatMap(({ side }) => (side === 'self' ? [] : [side])));
    const isSelfAlone = transfers.length > 0 && directions.size === 0;
    const only = directions.size === 1 ? ([...directions][0] as Side) : 'mixed';
    this.#sideOf = ({ direction }) =>
      direction === 'fee' ? 'fee' : isSelfAlone ? 'any' : (direction ?? only);
    this.#moveSideOf = ({ side }) => (side === 'self' ? 'any' : side);
    this.#rows = rows;
    this.#movements = movements;
  }

  matchEqual(): void {
    this.#pair(
      (row) => this.#sideOf(row),
      (movement) => this.#moveSideOf(movement),
    );
    // Rows without a direction take what those with one left over.
    this.#pair(
      (row) => (this.#sideOf(row) === 'mixed' ? 'mixed' : undefined),
      ({ side }) => (side === 'in' || side === 'out' ? 'mixed' : undefined),
    );
    // What an address paid itself is in either direction, beside what it got or paid in the same transaction.
    this.#pair(
      (row) => (this.#sideOf(row) === 'fee' ? undefined : 'any'),
      ({ side }) => (side === 'self' ? 'any' : undefined),
    );
  }

  matchSums(): void {
    const { ins, outs, all } = this.#sum();
    const winners = new Map<string, BookedRow>();
    for (const row of this.#rows) {
      const target = findTarget({ side: this.#sideOf(row), amount: row.amount }, { ins, outs, all });
      if (target !== undefined && !winners.has(target)) winners.set(target, row);
    }
    if (winners.has('in') || winners.has('out')) winners.delete('net');
    for (const [target, row] of winners)
      this.#claim(row, this.#listSide(target === 'net' ? 'mixed' : (target as Side)), true);
    this.#drop();
  }

  matchRest(): void {
    const { ins = 0n, outs = 0n } = this.#sum();
    const transfers = this.#rows.filter((row) => this.#sideOf(row) !== 'fee');
    const [single] = transfers;
    if (transfers.length === 1 && single !== undefined && ins > 0n && outs > 0n) {
      const side = this.#sideOf(single);
      if (side === 'in' ? ins > outs : side === 'out' && outs > ins)
        this.#claim(single, this.#listSide('mixed'), false);
      this.#drop();
    }
    for (const side of ['in', 'out', 'any', 'fee', 'mixed'] as const) {
      const rows = bySize(this.#rows.filter((row) => this.#sideOf(row) === side));
      const movements = bySize(this.#listSide(side));
      if (rows.length === 1 && movements.length > 0) this.#claim(rows[0]!, movements, false);
      else
        for (const [place, row] of rows.entries())
          if (movements[place] !== undefined) this.#claim(row, [movements[place]], false);
      this.#drop();
    }
  }

  finish(): { readonly matches: Match[]; readonly unclaimed: Movement[] } {
    const claims = [...this.#claims].sort((one, other) => one.line - other.line);
    const firsts = new Map<string, Claimed>();
    for (const claim of claims)
      for (const key of [`${claim.side}`, `${claim.side} ${claim.amount}`])
        if (!firsts.has(key)) firsts.set(key, claim);
    for (const row of this.#rows) {
      const sides = COMPATIBLE[this.#sideOf(row)];
      const find = (suffix: string): Claimed | undefined =>
        earliest(sides.map((side) => firsts.get(`${side}${suffix}`)));
      const first = find(` ${row.amount}`) ?? find('');
      this.#matches.push({ row, isEqual: false, moved: first?.moved, firstLine: first?.line });
    }
    return { matches: this.#matches, unclaimed: [...this.#movements] };
  }

  /** One to one within equal keys and amounts. */
  #pair(
    rowKeyOf: (row: BookedRow) => Side | undefined,
    moveKeyOf: (movement: Movement) => Side | undefined,
  ): void {
    const free = new Map<string, Movement[]>();
    for (const movement of this.#movements) {
      const key = moveKeyOf(movement);
      if (key === undefined) continue;
      const list = free.get(`${key} ${movement.amount}`);
      if (list === undefined) free.set(`${key} ${movement.amount}`, [movement]);
      else list.push(movement);
    }
    // From the end, because taking the first of a long list moves the others.
    for (const list of free.values()) list.reverse();
    for (const row of this.#rows) {
      const key = rowKeyOf(row);
      const movement = key === undefined ? undefined : free.get(`${key} ${row.amount}`)?.pop();
      if (movement !== undefined) this.#claim(row, [movement], true);
    }
    this.#drop();
  }

  #claim(row: BookedRow, movements: readonly Movement[], isEqual: boolean): void {
    const isBoth = new Set(movements.map((movement) => this.#moveSideOf(movement))).size > 1;
    const sum = movements.reduce(
      (total, { side, amount }) => total + (isBoth && side === 'out' ? -amount : amount),
      0n,
    );
    const moved = sum < 0n ? -sum : sum;
    this.#claims.push({ ...row, side: this.#sideOf(row), moved });
    this.#matches.push({ row, isEqual, moved, firstLine: undefined });
    for (const movement of movements) this.#taken.add(movement);
    this.#done.add(row);
  }

  readonly #taken = new Set<Movement>();
  readonly #done = new Set<BookedRow>();

  #drop(): void {
    this.#rows = this.#rows.filter((row) => !this.#done.has(row));
    this.#movements = this.#movements.filter((movement) => !this.#taken.has(movement));
  }

  #listSide(side: Side): Movement[] {
    return this.#movements.filter((movement) =>
      side === 'mixed'
        ? movement.side === 'in' || movement.side === 'out'
        : this.#moveSideOf(movement) === side,
    );
  }

  #sum(): Sums {
    return {
      ins: sumOf(this.#listSide('in')),
      outs: sumOf(this.#listSide('out')),
      all: sumOf(this.#listSide('any')),
    };
  }
}

/** Undefined: there are no movements. */
interface Sums {
  readonly ins: bigint | undefined;
  readonly outs: bigint | undefined;
  readonly all: bigint | undefined;
}

/** The movements that together have the amount of a row. */
function findTarget(
  { side, amount }: { readonly side: Side; readonly amount: bigint },
  { ins, outs, all }: Sums,
): 'in' | 'out' | 'any' | 'net' | undefined {
  if (side === 'any') return amount === all ? 'any' : undefined;
  if (side === 'fee') return undefined;
  if (side !== 'out' && amount === ins) return 'in';
  if (side !== 'in' && amount === outs) return 'out';
  if (ins === undefined || outs === undefined) return undefined;
  const isNet = (side !== 'out' && amount === ins - outs) || (side !== 'in' && amount === outs - ins);
  return isNet ? 'net' : undefined;
}

/** Sides of rows that may be about the same movement. */
const COMPATIBLE: Readonly<Record<Side, readonly Side[]>> = {
  in: ['in', 'mixed'],
  out: ['out', 'mixed'],
  mixed: ['in', 'out', 'mixed'],
  any: ['any'],
  fee: ['fee'],
};

function earliest(claims: readonly (Claimed | undefined)[]): Claimed | undefined {
  return claims.reduce(
    (first, claim) =>
      first === undefined || (claim !== undefined && claim.line < first.line) ? claim : first,
    undefined,
  );
}

function sumOf(movements: readonly Movement[]): bigint | undefined {
  return movements.length === 0 ? undefined : movements.reduce((sum, { amount }) => sum + amount, 0n);
}

function bySize<T extends { readonly amount: bigint }>(list: readonly T[]): T[] {
  return [...list].sort((one, other) =>
    one.amount === other.amount ? 0 : one.amount > other.amount ? -1 : 1,
  );
}
