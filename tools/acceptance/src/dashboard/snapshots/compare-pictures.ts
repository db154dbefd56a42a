// SPDX-License-Identifier: Apache-2.0
import { encode } from 'fast-png';
import pixelmatch from 'pixelmatch';
import { readPixels, type Pixels } from './read-pixels.ts';

/** The edges of letters are other ones in each version of Chromium, but a place of this size has as much ink: of 256 levels, at most 5 were seen to differ. */
const [PLACE_PX, LEVELS_MAX] = [16, 8];
/** Thin lines weigh nothing in a place: so many pixels of all may be farther from each other than this, of 1. Letters were seen to make 0.4 % of them. */
const [COLOUR_DISTANCE, SHARE_MAX] = [0.05, 0.005];

export interface Difference {
  readonly reason: string;
  /** What differs is red; none where the sizes differ. */
  readonly picture?: Uint8Array;
}

/** Undefined where one looks like the other. */
export function comparePictures(kept: Uint8Array, taken: Uint8Array): Difference | undefined {
  const [one, other] = [readPixels(kept), readPixels(taken)];
  const { width, height } = one;
  if (other.width !== width || other.height !== height)
    return { reason: `expected ${width}×${height} pixels, got ${other.width}×${other.height}` };
  const drawn = new Uint8Array(one.data.length);
  const share =
    pixelmatch(one.data, other.data, drawn, width, height, { threshold: COLOUR_DISTANCE }) / (width * height);
  const { levels, x, y } = findMostChanged(one, other);
  if (levels <= LEVELS_MAX && share <= SHARE_MAX) return undefined;
  return {
    reason: `expected at most ${LEVELS_MAX} levels between two places and ${SHARE_MAX * 100} % of other pixels, got ${levels.toFixed(1)} at ${x},${y} and ${(share * 100).toFixed(2)} %`,
    picture: encode({ width, height, data: drawn }),
  };
}

/** The place whose mean color is the farthest from what it was. */
function findMostChanged(one: Pixels, other: Pixels): { levels: number; x: number; y: number } {
  let most = { levels: 0, x: 0, y: 0 };
  for (let y = 0; y < one.height; y += PLACE_PX)
    for (let x = 0; x < one.width; x += PLACE_PX) {
      const before = meanOf(one, x, y);
      const levels = Math.max(...meanOf(other, x, y).map((mean, index) => Math.abs(mean - before[index]!)));
      if (levels > most.levels) most = { levels, x, y };
    }
  return most;
}

/** Of the red, green and blue in a place. */
function meanOf({ width, height, data }: Pixels, left: number, top: number): number[] {
  const [right, bottom] = [Math.min(left + PLACE_PX, width), Math.min(top + PLACE_PX, height)];
  const sums = [0, 0, 0];
  for (let y = top; y < bottom; y += 1)
    for (let x = left; x < right; x += 1)
      for (let color = 0; color < 3; color += 1) sums[color]! += data[(y * width + x) * 4 + color]!;
  return sums.map((sum) => sum / ((right - left) * (bottom - top)));
}
