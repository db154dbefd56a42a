import { splitSteps } from './split-steps.ts';

/** Values that each column of a list's key may have, in its order; undefined: any. */
export type WantedKeys = readonly (readonly string[] | undefined)[];

interface Steps {
  readonly scope: string;
  readonly list: string;
  /** The first step; undefined: no end. */
  readonly from: number | undefined;
  /** Behind the last step. */
  readonly to: number | undefined;
}

/**
 * The lines whose sum is the total of these steps, as SQL: the standing ones of every level that the steps are split into,
 * each a range of one index, and the fresh ones of the scope, which stand on the first level alone.
 * @param values the parameters of the statement, which grow; the first is the scope
 */
export function linesOfSteps({ list, from, to }: Steps, wanted: WantedKeys, values: unknown[]): string {
  const keys = wanted
    .map((allowed, index) =>
      allowed === undefined ? '' : ` AND key[${index + 1}] = ANY ($${values.push(allowed)})`,
    )
    .join('');
  const lines = (source: string, first: number | undefined, end: number | undefined): string =>
    `SELECT count, key FROM ${source} scope = $1 AND list = '${list}'${first === undefined ? '' : ` AND bucket >= ${first}`}${end === undefined ? '' : ` AND bucket < ${end}`}${keys}`;
  const standing = splitSteps(from, to).map((run) =>
    lines(`list_counts WHERE level = ${run.level} AND`, run.from, run.to),
  );
  return [...standing, lines('fresh_list_counts() WHERE', from, to)].join(' UNION ALL ');
}
