// SPDX-License-Identifier: Apache-2.0
import type { FamilyEntry } from '@chainwatch/chain-core';
import { solanaManifest } from './manifest.ts';

/** The line of @chainwatch/chain-registry: the family's code is loaded on first use. */
export const solana: FamilyEntry = {
  ...solanaManifest,
  load: async () => (await import('./index.ts')).solanaFamily,
};
