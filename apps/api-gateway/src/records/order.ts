/**
 * The order of a list, with the columns that break ties. All run in the same direction, so that one index serves both
 * directions: `toOrders('-status', { status: 'status' }, ['number', 'id'])` → all three descending.
 */
export function toOrders<F extends string, C extends string, T extends string>(
  sortBy: F | `-${F}`,
  columns: Readonly<Record<F, C>>,
  tiebreak: readonly T[],
): Partial<Record<C | T, 'asc' | 'desc'>>[] {
  const isDescending = sortBy.startsWith('-');
  const first = columns[(isDescending ? sortBy.slice(1) : sortBy) as F];
  const names: readonly (C | T)[] = [first, ...tiebreak.filter((column) => (column as string) !== first)];
  return names.map(
    (name) => ({ [name]: isDescending ? 'desc' : 'asc' }) as Partial<Record<C | T, 'asc' | 'desc'>>,
  );
}
