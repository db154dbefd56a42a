/** Two hex digits, the first byte of the ids of channels that this replica owns; undefined: all of them. */
export type Partitions = readonly string[] | undefined;

/** @param parameter the number of the parameter that holds the partitions, or null */
export function inPartitions(column: string, parameter: number): string {
  return `($${parameter}::text[] IS NULL OR left(${column}::text, 2) = ANY($${parameter}))`;
}
