// SPDX-License-Identifier: Apache-2.0
/** What each address lost or gained, in the order in which the chain names them. */
export type Flows = ReadonlyMap<string, bigint>;

/** An amount that an instruction moved. */
export interface Hint {
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

export interface Flow {
  /** Absent: out of nothing (a mint). */
  readonly from?: string;
  /** Absent: into nothing (a burn, a withheld fee). */
  readonly to?: string;
  readonly amountRaw: bigint;
}

/**
 * Transfers that add up to `flows` exactly. With one sender or one receiver there is only one way to pair
 * them. Otherwise they are paired by what the instructions moved (`readHints`, called only then), then by
 * equal amounts, then by order.
 */
export function pairFlows(flows: Flows, readHints: () => Iterable<Hint>): Flow[] {
  const out = new Map<string, bigint>();
  const into = new Map<string, bigint>();
  for (const [address, delta] of flows) {
    if (delta < 0n) out.set(address, -delta);
    else if (delta > 0n) into.set(address, delta);
  }
  const paired: Flow[] = [];
  const pay = (from: string, to: string, most: bigint): void => {
    const amountRaw = [out.get(from) ?? 0n, into.get(to) ?? 0n, most].reduce((a, b) => (a < b ? a : b));
    if (amountRaw === 0n) return;
    paired.push({ from, to, amountRaw });
    take(out, from, amountRaw);
    take(into, to, amountRaw);
  };
  if (out.size > 1 && into.size > 1) {
    for (const { from, to, amountRaw } of readHints()) pay(from, to, amountRaw);
    for (const [from, amount] of [...out])
      for (const [to, wanted] of into) if (out.has(from) && amount === wanted) pay(from, to, amount);
  }
  for (const from of [...out.keys()]) for (const to of [...into.keys()]) pay(from, to, out.get(from) ?? 0n);
  for (const [from, amountRaw] of out) paired.push({ from, amountRaw });
  for (const [to, amountRaw] of into) paired.push({ to, amountRaw });
  return paired;
}

function take(rest: Map<string, bigint>, address: string, amount: bigint): void {
  const left = rest.get(address)! - amount;
  if (left === 0n) rest.delete(address);
  else rest.set(address, left);
}
