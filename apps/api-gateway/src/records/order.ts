/** `toOrder('-short_name', { short_name: 'shortName' })` → `{ shortName: 'desc' }`. */
export function toOrder<F extends string, C extends string>(sortBy: F | `-${F}`, columns: Readonly<Record<F, C>>): Partial<Record<C, 'asc' | 'desc'>> {
  const isDescending = sortBy.startsWith('-');
  const field = (isDescending ? sortBy.slice(1) : sortBy) as F;
  const order: Partial<Record<C, 'asc' | 'desc'>> = {};
  order[columns[field]] = isDescending ? 'desc' : 'asc';
  return order;
}
