/** A run of steps on one level: `from` belongs to it, `to` does not; undefined: no end. */
export interface StepRun {
  readonly level: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Each step of a level is so many of the one below (migration list_levels). */
const WIDTH = 32;
const LEVEL_MAX = 3;

/** Covers the steps from `from` up to, but not with, `to` by as few steps as the levels allow, each step once. */
export function splitSteps(from: number | undefined, to: number | undefined): StepRun[] {
  const runs: StepRun[] = [];
  let [low, high] = [from, to];
  const add = (level: number, first: number | undefined, end: number | undefined): void => {
    if (first === undefined || end === undefined || first < end) runs.push({ level, from: first, to: end });
  };
  for (
    let level = 0;
    level < LEVEL_MAX && (low === undefined || high === undefined || low < high);
    level += 1
  ) {
    const firstWhole = low === undefined ? undefined : Math.ceil(low / WIDTH) * WIDTH;
    const endWhole = high === undefined ? undefined : Math.floor(high / WIDTH) * WIDTH;
    if (firstWhole !== undefined && endWhole !== undefined && firstWhole >= endWhole) {
      add(level, low, high);
      return runs;
    }
    if (firstWhole !== undefined) add(level, low, firstWhole);
    if (endWhole !== undefined) add(level, endWhole, high);
    [low, high] = [firstWhole && firstWhole / WIDTH, endWhole && endWhole / WIDTH];
  }
  add(LEVEL_MAX, low, high);
  return runs;
}
