// SPDX-License-Identifier: Apache-2.0
import { convertIndexedToRgb, decode } from 'fast-png';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and 255 of each pixel, row by row. */
  readonly data: Uint8Array;
}

/** A picture of a page: nothing of it shines through. */
export function readPixels(png: Uint8Array): Pixels {
  const image = decode(png);
  const { width, height, palette } = image;
  const colors = palette === undefined ? image.data : convertIndexedToRgb(image);
  const channels = palette === undefined ? image.channels : 3;
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel += 1)
    for (let channel = 0; channel < 3; channel += 1)
      data[pixel * 4 + channel] = colors[pixel * channels + channel]!;
  return { width, height, data };
}
