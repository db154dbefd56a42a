// SPDX-License-Identifier: Apache-2.0
import { classes } from './classes.ts';

interface ProgressProps {
  readonly label: string;
  /** Undefined: how far it is is not known. */
  readonly value: number | undefined;
  readonly max: number;
}

export function Progress({ label, value, max }: ProgressProps) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={Math.max(max, 1)}
      className={classes(LOOK, value === undefined && 'animate-[shimmer_1.4s_ease-in-out_infinite]')}
    />
  );
}

const LOOK =
  'h-1.5 w-full appearance-none overflow-hidden rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:rounded-full [&::-webkit-progress-value]:bg-accent';
