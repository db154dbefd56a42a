// SPDX-License-Identifier: Apache-2.0
import { comparePictures } from './compare-pictures.ts';

/** Started by ComparingProcess, which sends two pictures and is sent how they differ. */
process.on('message', ([kept, taken]: readonly [Uint8Array, Uint8Array]) =>
  process.send!({ difference: comparePictures(kept, taken) }),
);
